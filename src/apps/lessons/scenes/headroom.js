// Baymax: headroom, and its late start under open arrivals.
"use strict";

addScene({
  id: "headroom",
  title: "Headroom, and a query that comes uninvited",
  before: [
    "Baymax knows beforehand how long each kernel will take ([[prediction]]). While a [[query]] is under way it lets a [[batch]] kernel pass only if the query keeps its [[target]] with it: what is left of the target is the [[headroom]].",
    "It was made for clients that ask again when they have their answer. Here queries come at any time ([[open arrivals]]): four kernels of 2 ms each, with a target of 20 ms. `baymax-plus`, on the right, also counts what is already under way for the query that may come next, and how long a query has waited.",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "headroom", gpu: lessonGpu, duration_s: 1, warmup_s: 0, fidelity: "block", predictor: "oracle",
    apps: [
      { name: "query", role: "service", qos_ms: 20, synthetic: { kernels: 4, blocks: 320, threads: 512, duration_ms: 2 }, arrivals: { process: "poisson", rate_per_s: 20 } },
      { name: "batch", synthetic: { kernels: 8, blocks: 320, threads: 512, duration_ms: 3 }, arrivals: { process: "closed", start: "at-once" } },
    ],
  }),
  sliders: [
    { key: "rate", label: "Queries per second", unit: "", least: 5, most: 60, step: 5, value: 20, set: (value) => `apps.query.arrivals.rate_per_s=${value}` },
    { key: "target", label: "Target", unit: "ms", least: 12, most: 60, step: 2, value: 20, set: (value) => `apps.query.qos_ms=${value}` },
    { key: "kernel", label: "A batch kernel", unit: "ms", least: 0.5, most: 6, step: 0.5, value: 3, set: (value) => `apps.batch.synthetic.duration_ms=${value}` },
  ],
  sides: [
    { label: () => "Baymax", policy: () => "baymax" },
    { label: () => "Baymax plus", policy: () => "baymax-plus" },
  ],
  seconds: 18,
  window: () => [0, 120],
  until: () => 12,
  about: "query",
  guess: {
    question: ({ target, rate }) => `A query needs 8 ms alone and has ${target}. Of 100 queries, how many are late under Baymax when they come at random, ${rate} a second?`,
    unit: "%", least: 0, most: 100, step: 1, start: 1,
    truth: ({ runs }) => 100 * runs[0].app("query").late_fraction,
  },
  after: ({ runs }) => [
    `${show(100 * runs[0].app("query").late_fraction)} % under Baymax, ${show(100 * runs[1].app("query").late_fraction)} % under Baymax plus, with ${show(runs[0].app("batch").throughput_per_s)} and ${show(runs[1].app("batch").throughput_per_s)} batch jobs a second.`,
    "Step through the decisions below. While no query is there, Baymax has nothing to protect and lets all batch kernels pass; a query that comes then finds them before it in the [[device queue]], where nothing can be taken back. Baymax plus holds back what a next query could not bear.",
  ],
  curve: {
    title: "p99 over the rate of queries, for 10 s", x: "queries per second", y: "ms", key: "rate",
    workload: () => ({ duration_s: 10, warmup_s: 0.5, fidelity: "fluid" }),
    values: [5, 10, 15, 20, 25, 30, 40],
    of: (value) => `apps.query.arrivals.rate_per_s=${value}`,
    policies: () => ["baymax", "baymax-plus"], app: "query",
    number: (row) => (row.overloaded === "yes" ? NaN : Number(row.p99_ms)),
    at: (values) => values.rate,
    mark: false,
  },
  numbers: [
    { title: "p99, ms", of: (app) => app.latency_ms.p99 },
    { title: "Late, %", of: (app) => (app.late_fraction === null ? null : 100 * app.late_fraction) },
    { title: "Jobs per second", of: (app) => app.throughput_per_s },
    { title: "Progress", of: (app) => app.normalised_progress },
  ],
});
