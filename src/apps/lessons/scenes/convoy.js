// A long kernel before a short one: MPS shares what is left over.
"use strict";

addScene({
  id: "convoy",
  title: "A long kernel before a short one",
  before: [
    "Two applications launch a [[kernel]] each: a long one of 8 ms at the beginning, and a short one of 1 ms a little later. Without [[MPS]] the GPU takes kernels of one application at a time. With it, a kernel's [[thread block|blocks]] go where the ones before it left room.",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "convoy", gpu: lessonGpu, duration_s: 0.1, warmup_s: 0, fidelity: "block",
    apps: [
      { name: "long", synthetic: { blocks: 640, threads: 512, duration_ms: 8 }, arrivals: { process: "once" } },
      { name: "short", synthetic: { blocks: 80, threads: 512, duration_ms: 1 }, arrivals: { process: "once", delay_ms: 1 } },
    ],
  }),
  sliders: [
    { key: "blocks", label: "Blocks of the long kernel", unit: "", least: 80, most: 960, step: 80, value: 640, set: (value) => `apps.long.synthetic.blocks=${value}` },
    { key: "delay", label: "The short one comes after", unit: "ms", least: 0.5, most: 7.5, step: 0.5, value: 1, set: (value) => `apps.short.arrivals.delay_ms=${value}` },
  ],
  sides: [
    { label: () => "Without MPS", policy: () => "fifo" },
    { label: () => "MPS", policy: () => "mps" },
  ],
  seconds: 9,
  window: () => [0, 12],
  until: ({ delay }) => delay + 0.5,
  about: "short",
  guess: {
    question: ({ blocks }) => `The short kernel takes 1 ms alone. 320 blocks fit on the GPU at a time, the long kernel has ${blocks}. How long after its arrival does the short one end under MPS?`,
    unit: "ms", least: 1, most: 12, step: 0.5, start: 2,
    truth: ({ runs }) => runs[1].app("short").latency_ms.max,
  },
  after: ({ runs, values }) => [
    `Under MPS it took ${show(runs[1].app("short").latency_ms.max, "ms")}, without ${show(runs[0].app("short").latency_ms.max, "ms")}. MPS gives the short kernel what is [[leftover|left over]], and nothing is taken from blocks that run. ${values.blocks % 320 === 0 ? "Here every [[wave]] of the long kernel fills all SMs, so nothing is left until its end." : "Here the last [[wave]] of the long kernel is not full, and the short one slips in beside it."}`,
    "In the picture below it all depends on whether the last wave is full: with 320, 640 or 960 blocks MPS helps as little as no MPS at all.",
  ],
  curve: {
    title: "Latency of the short kernel over the blocks of the long one", x: "blocks", y: "ms", key: "blocks",
    values: [80, 160, 240, 320, 400, 480, 560, 640, 720, 800, 880, 960],
    of: (value) => `apps.long.synthetic.blocks=${value}`,
    policies: () => ["fifo", "mps"], app: "short",
    number: (row) => Number(row.p99_ms),
    at: (values) => values.blocks,
  },
  numbers: [
    { title: "From arrival to end, ms", of: (app) => app.latency_ms.max },
    { title: "Alone, ms", of: (app) => app.solo_ms },
  ],
});
