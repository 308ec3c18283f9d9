// Caps bound what one may hold and reserve nothing.
"use strict";

addScene({
  id: "caps",
  title: "Caps, and why they may add up to 200 %",
  before: [
    "`batch` always has kernels of 8 ms; a short `query` comes every 12 ms. With a [[cap]] an application may hold that part of the SMs and no more. A cap is a bound and no reservation: what one does not use, the other may, up to its own cap.",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "caps", gpu: lessonGpu, duration_s: 1, warmup_s: 0, fidelity: "block",
    apps: [
      { name: "batch", synthetic: { blocks: 1280, threads: 512, duration_ms: 8 }, arrivals: { process: "closed", start: "at-once" } },
      { name: "query", role: "service", qos_ms: 4, synthetic: { blocks: 80, threads: 512, duration_ms: 0.5 }, arrivals: { process: "deterministic", rate_per_s: 83 } },
    ],
  }),
  sliders: [
    { key: "batch", label: "Cap of batch, right", unit: "%", least: 10, most: 100, step: 5, value: 90 },
    { key: "query", label: "Cap of query, right", unit: "%", least: 10, most: 100, step: 5, value: 100 },
  ],
  sides: [
    { label: () => "50 % + 50 %", policy: () => "mps-caps:caps=batch=50+query=50" },
    { label: ({ batch, query }) => `${batch} % + ${query} %`, policy: ({ batch, query }) => `mps-caps:caps=batch=${batch}+query=${query}` },
  ],
  seconds: 14,
  window: () => [0, 40],
  until: () => 2,
  about: "query",
  guess: {
    question: ({ batch }) => `A query takes 0.5 ms alone. On the right batch may hold ${batch} % of the SMs, which leaves ${80 - Math.round(0.8 * batch)} of 80. What is the [[p99]] of the query: 99 of 100 are as fast or faster?`,
    unit: "ms", least: 0.5, most: 10, step: 0.1, start: 5,
    truth: ({ runs }) => runs[1].app("query").latency_ms.p99,
  },
  after: ({ runs, values }) => [
    `99 of 100 queries end within ${show(runs[1].app("query").latency_ms.p99, "ms")}: ${values.batch < 100 ? "a query finds the SMs that batch may not hold; where they are fewer than it fills, it needs more [[wave|waves]] there" : "batch may hold all SMs, and a query waits behind its kernels"}. Batch kept ${show(100 * runs[1].app("batch").normalised_progress)} % of its speed; with 50 % + 50 % it kept ${show(100 * runs[0].app("batch").normalised_progress)} %, although the query's half was idle most of the time.`,
    "That is why caps of MPS may add up to 200 %: each says only what its owner may hold at most. With 100 % for both nothing is bounded, and a query waits behind whole kernels.",
  ],
  curve: {
    title: "p99 of the query over the cap of batch", x: "cap of batch, %", y: "ms", key: "batch",
    values: [10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 100],
    of: (value, values) => `caps=batch=${value}+query=${values?.query ?? 100}`,
    policies: () => ["mps-caps"], app: "query",
    number: (row) => Number(row.p99_ms),
    at: (values) => values.batch,
  },
  numbers: [
    { title: "p99, ms", of: (app) => app.latency_ms.p99 },
    { title: "Mean, ms", of: (app) => app.latency_ms.mean },
    { title: "Progress", of: (app) => app.normalised_progress },
    { title: "Jobs per second", of: (app) => app.throughput_per_s },
  ],
});
