// Memory bandwidth is shared too, and row hits decide how much there is.
"use strict";

addScene({
  id: "bandwidth",
  title: "Memory bandwidth and row hits",
  before: [
    "Two kernels that need few SMs: there is room for both. But each asks for a part of the memory's [[bandwidth]], and of that there is one. How much of its peak the memory reaches depends on [[row hit|row hits]]: with 80 % of requests that find their row open, this model reaches 76 %.",
    "Left, the two run one after the other; right, side by side.",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "bandwidth", gpu: lessonGpu, duration_s: 0.06, warmup_s: 0, fidelity: "block",
    apps: ["first", "second"].map((name) => ({ name, synthetic: { blocks: 80, threads: 1024, duration_ms: 4, dram_fraction: 0.6, row_hit_rate: 0.8 }, arrivals: { process: "once" } })),
  }),
  sliders: [
    { key: "demand", label: "What the second asks for, of the peak", unit: "%", least: 10, most: 70, step: 5, value: 60, set: (value) => `apps.second.synthetic.dram_fraction=${value / 100}` },
    { key: "hits", label: "Row hits of the second", unit: "%", least: 10, most: 80, step: 10, value: 80, set: (value) => `apps.second.synthetic.row_hit_rate=${value / 100}` },
  ],
  sides: [
    { label: () => "One after the other", policy: () => "fifo" },
    { label: () => "Side by side", policy: () => "mps" },
  ],
  seconds: 8,
  window: () => [0, 10],
  until: () => 1,
  about: "second",
  guess: {
    question: ({ demand }) => `Each kernel takes 4 ms alone. The first asks for 60 % of the memory's peak, the second for ${demand} %. How long does the first take side by side?`,
    unit: "ms", least: 4, most: 10, step: 0.1, start: 4.8,
    truth: ({ runs }) => runs[1].app("first").latency_ms.max,
  },
  after: ({ runs, values }) => [
    `Together they ask for ${60 + values.demand} % of the peak, ${runs[1].app("first").latency_ms.max > 1.001 * runs[1].app("first").solo_ms ? "which is more than the memory reaches: each gets its part of what there is" : "which the memory reaches: neither slows the other"}. Side by side they take ${show(runs[1].app("first").latency_ms.max, "ms")}, one after the other ${show(runs[0].app("second").latency_ms.max, "ms")} until the second ends.`,
    "SMs and memory are two budgets: kernels that leave each other SMs may still starve each other of bandwidth. And when one kernel's requests miss open rows more often, the memory moves fewer bytes for both.",
  ],
  curve: {
    title: "Time of the first kernel over what the second asks for", x: "asked for by the second, part of the peak", y: "ms", key: "demand",
    values: [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
    of: (value) => `apps.second.synthetic.dram_fraction=${value}`,
    policies: () => ["fifo", "mps"], app: "first",
    number: (row) => Number(row.p99_ms),
    at: (values) => values.demand / 100,
  },
  numbers: [
    { title: "From arrival to end, ms", of: (app) => app.latency_ms.max },
    { title: "Alone, ms", of: (app) => app.solo_ms },
    { title: "Lost to the memory, ms", of: (app) => app.blame_ms_p99.dram + app.blame_ms_p99.row_buffer },
  ],
});
