// Priority orders what waits; it stops nothing that runs.
"use strict";

addScene({
  id: "priority",
  title: "Priority, and what it cannot do",
  before: [
    "The same kind of neighbours: `batch` with kernels of 8 ms, and a short `query` every 12 ms. On the right the query has the higher [[priority]]: when blocks end, its [[thread block|blocks]] go first. Those that run stay to their end; there is no [[preemption]].",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "priority", gpu: lessonGpu, duration_s: 1, warmup_s: 0, fidelity: "block",
    apps: [
      { name: "batch", synthetic: { blocks: 1280, threads: 512, duration_ms: 8 }, arrivals: { process: "closed", start: "at-once" } },
      { name: "query", role: "service", qos_ms: 4, synthetic: { blocks: 80, threads: 512, duration_ms: 0.5 }, arrivals: { process: "deterministic", rate_per_s: 83 } },
    ],
  }),
  sliders: [
    { key: "blocks", label: "Blocks of a batch kernel (8 ms in all)", unit: "", least: 320, most: 5120, step: 320, value: 1280, set: (value) => `apps.batch.synthetic.blocks=${value}` },
    { key: "work", label: "A query alone", unit: "ms", least: 0.1, most: 2, step: 0.1, value: 0.5, set: (value) => `apps.query.synthetic.duration_ms=${value}` },
  ],
  sides: [
    { label: () => "MPS", policy: () => "mps" },
    { label: () => "MPS, queries first", policy: () => "stream-priority" },
  ],
  seconds: 14,
  window: () => [0, 40],
  until: () => 1.5,
  about: "query",
  guess: {
    question: ({ blocks, work }) => `320 blocks fit on the GPU at a time, a batch kernel has ${blocks} and takes 8 ms, a query ${work} ms. What is the [[p99]] of the query when it goes first: 99 of 100 are as fast or faster?`,
    unit: "ms", least: 0.5, most: 10, step: 0.1, start: 0.5,
    truth: ({ runs }) => runs[1].app("query").latency_ms.p99,
  },
  after: ({ runs, values }) => [
    `${show(runs[1].app("query").latency_ms.p99, "ms")}. A batch kernel of ${values.blocks} blocks runs in ${counted(Math.ceil(values.blocks / 320), "[[wave]]")} of ${show(8 / Math.ceil(values.blocks / 320), "ms")}; a query that comes within one waits for its end, and goes then. Without priority it waits until all blocks that came before it are placed: ${show(runs[0].app("query").latency_ms.p99, "ms")}.`,
    "So priority is worth as much as blocks are short. With 320 blocks a batch kernel is a single wave, and going first is worth nothing.",
  ],
  curve: {
    title: "p99 of the query over the blocks of a batch kernel", x: "blocks", y: "ms", key: "blocks",
    values: [320, 640, 960, 1280, 1920, 2560, 3840, 5120],
    of: (value) => `apps.batch.synthetic.blocks=${value}`,
    policies: () => ["mps", "stream-priority"], app: "query",
    number: (row) => Number(row.p99_ms),
    at: (values) => values.blocks,
  },
  numbers: [
    { title: "p99, ms", of: (app) => app.latency_ms.p99 },
    { title: "Mean, ms", of: (app) => app.latency_ms.mean },
    { title: "Progress", of: (app) => app.normalised_progress },
    { title: "Jobs per second", of: (app) => app.throughput_per_s },
  ],
});
