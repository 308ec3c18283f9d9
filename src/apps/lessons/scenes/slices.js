// Time slices: one application at a time.
"use strict";

addScene({
  id: "slices",
  title: "Time slices",
  before: [
    "Without [[MPS]] several programs take turns: a [[time slice]] each, in which the GPU is all theirs. Whoever has to wait keeps its blocks on the SMs, where they lie still (pale). A [[context switch]] between two slices takes 64 µs on this GPU.",
    "`batch` has kernels of 10 ms that fill the GPU; a `query` of 1 ms comes every 12 ms.",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "slices", gpu: lessonGpu, duration_s: 1, warmup_s: 0, fidelity: "block",
    apps: [
      { name: "batch", synthetic: { blocks: 320, threads: 512, duration_ms: 10 }, arrivals: { process: "closed", start: "at-once" } },
      { name: "query", role: "service", qos_ms: 5, synthetic: { blocks: 320, threads: 512, duration_ms: 1 }, arrivals: { process: "deterministic", rate_per_s: 83 } },
    ],
  }),
  sliders: [
    { key: "slice", label: "Length of a slice", unit: "ms", least: 0.25, most: 8, step: 0.25, value: 2, set: (value) => `gpu.time_slice_us=${Math.round(1000 * value)}` },
    { key: "work", label: "A query alone", unit: "ms", least: 0.5, most: 4, step: 0.5, value: 1, set: (value) => `apps.query.synthetic.duration_ms=${value}` },
  ],
  sides: [
    { label: () => "Time slices", policy: () => "timeslice" },
    { label: () => "MPS", policy: () => "mps" },
  ],
  seconds: 14,
  window: () => [0, 40],
  until: () => 3.2,
  about: "query",
  guess: {
    question: ({ work, slice }) => `A query takes ${work} ms alone, a slice lasts ${slice} ms. What is the [[p99]] of the query with time slices: 99 of 100 are as fast or faster?`,
    unit: "ms", least: 1, most: 12, step: 0.1, start: 6,
    truth: ({ runs }) => runs[0].app("query").latency_ms.p99,
  },
  after: ({ runs }) => [
    `${show(runs[0].app("query").latency_ms.p99, "ms")}: at worst it waits for the rest of a slice, then has its own, and where one is too short for it, it waits again. Under MPS, where blocks that run are not interrupted, it waits for the end of a kernel: ${show(runs[1].app("query").latency_ms.p99, "ms")}.`,
    "Shorter slices answer sooner as long as a query fits into one, and cost more switches. What is in one slice cannot use what another leaves idle: nothing is shared but the time.",
  ],
  curve: {
    title: "p99 of the query over the length of a slice", x: "slice, ms", y: "ms", key: "slice",
    values: [0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8],
    of: (value) => `gpu.time_slice_us=${1000 * value}`,
    policies: () => ["timeslice", "mps"], app: "query",
    number: (row) => Number(row.p99_ms),
    at: (values) => values.slice,
  },
  numbers: [
    { title: "p99, ms", of: (app) => app.latency_ms.p99 },
    { title: "Mean, ms", of: (app) => app.latency_ms.mean },
    { title: "Progress", of: (app) => app.normalised_progress },
    { title: "Jobs per second", of: (app) => app.throughput_per_s },
  ],
});
