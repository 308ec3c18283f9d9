// The tail over load: what waits for itself.
"use strict";

const loadArrivals = ["a2", "a3", "a4", "a5", "a6"];

addScene({
  id: "load",
  title: "The tail over load",
  before: [
    "Queries come when they come ([[open arrivals]]). Each takes 4 ms of the whole GPU; `batch`, with kernels of 6 ms, uses what is left. Both sides get the same six queries, the small triangles on the axis, which you can drag.",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "load", gpu: lessonGpu, duration_s: 0.1, warmup_s: 0, fidelity: "block",
    apps: [
      { name: "query", role: "service", qos_ms: 20, synthetic: { blocks: 320, threads: 512, duration_ms: 4 }, arrivals: { process: "trace", file: "arrivals.csv", column: "seconds", replay: true } },
      { name: "batch", synthetic: { blocks: 960, threads: 512, duration_ms: 6 }, arrivals: { process: "closed", start: "at-once" } },
    ],
  }),
  files: (values) => ({ "arrivals.csv": `seconds\n${[0, ...loadArrivals.map((key) => values[key] / 1000)].sort((a, b) => a - b).map((s) => s.toFixed(6)).join("\n")}\n` }),
  drag: { app: "query", keys: loadArrivals },
  sliders: [
    ...[3, 14, 16, 41, 42].map((value, i) => ({ key: loadArrivals[i], label: `Query ${i + 2} arrives at`, unit: "ms", least: 0, most: 70, step: 0.5, value })),
    { key: "target", label: "Target of a query", unit: "ms", least: 5, most: 40, step: 1, value: 20, set: (value) => `apps.query.qos_ms=${value}` },
  ],
  sides: [
    { label: () => "MPS", policy: () => "mps" },
    { label: () => "MPS, queries first", policy: () => "stream-priority" },
  ],
  seconds: 14,
  window: () => [0, 80],
  until: () => 9,
  about: "query",
  guess: {
    question: "Alone the GPU could answer 250 queries a second. Now let 100 a second come at random, with batch beside them, and go first. A query takes 4 ms: what is the [[p99]] of its [[latency]]?",
    unit: "ms", least: 4, most: 80, step: 1, start: 6,
    truth: ({ rows }) => Number(rows.find((row) => row.x === 100 && row.policy === "stream-priority").p99_ms),
  },
  after: ({ runs }) => [
    `The six queries of the stage end within ${show(runs[1].app("query").latency_ms.max, "ms")} when they go first, and ${show(runs[0].app("query").latency_ms.max, "ms")} when they do not. Drag them together: what waits for others becomes what waits for itself.`,
    "With random arrivals some always come together. The [[tail]] of the latency grows long before the GPU is full, and without bound when it is; the mean hides it. No [[priority]] helps a query that waits for queries. Where a line ends, queries came faster than they were answered.",
  ],
  curve: {
    title: "p99 over load, queries at random for 10 s", x: "queries per second", y: "ms", key: "rate",
    workload: ({ apps: [query, batch] }) => ({ fidelity: "fluid", duration_s: 10, warmup_s: 0.5, apps: [{ ...query, arrivals: { process: "poisson", rate_per_s: 100 } }, batch] }),
    values: [25, 50, 75, 100, 125, 150, 175, 200],
    of: (value) => `apps.query.arrivals.rate_per_s=${value}`,
    policies: () => ["mps", "stream-priority"], app: "query",
    number: (row) => (row.overloaded === "yes" ? NaN : Number(row.p99_ms)),
    at: () => 100,
    log: true,
  },
  numbers: [
    { title: "Slowest, ms", of: (app) => app.latency_ms.max },
    { title: "Mean, ms", of: (app) => app.latency_ms.mean },
    { title: "Late, %", of: (app) => (app.late_fraction === null ? null : 100 * app.late_fraction) },
  ],
});
