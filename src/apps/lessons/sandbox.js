// The sandbox: recorded applications, any policy, a rule of one's own, any load. Recordings have thousands of kernels, so that it
// shows every query, numbers and reasons, and no stage.
"use strict";

const sandboxApps = { vit: "a vision transformer", timesformer: "a video transformer", qwen05b: "a language model" };
const sandboxRule = "# Services at once; one batch kernel at a time, and none while a query is under way.\nfirst: app.service\npass:  app.service or task.copy\n       or (queries == 0 and issued.batch == 0)\n";

function sandboxWorkload({ service, batch, rate, target }) {
  return JSON.stringify({
    schema: "cotenant.workload/1", name: "sandbox", gpu: "h100", duration_s: 6, warmup_s: 0.5,
    apps: [
      { name: service, role: "service", trace: `h100-inference.db#${service}`, qos_ms: target, arrivals: { process: "poisson", rate_per_s: rate } },
      { name: `${batch}-batch`, trace: `h100-inference.db#${batch}` },
    ],
  });
}

const policyOf = ({ report }) => report.policy.split(":")[0];

function sandboxSection() {
  const values = { service: "vit", batch: "timesformer", rate: 15, target: 30, a: "mps", b: "rule", rule: sandboxRule, guess: "" };
  const address = readAddress();
  if (address.id === "sandbox") for (const key of Object.keys(values)) if (key in address.values) values[key] = typeof values[key] === "number" ? Number(address.values[key]) : address.values[key];
  const rule = el("textarea", { id: "rule", rows: 6, spellcheck: "false", input: () => set("rule")(rule.value) });
  rule.value = values.rule;
  const status = el("p", { role: "status", class: "note" });
  const results = el("div", null);
  const controls = el("div", { class: "controls sliders" });
  let names = [];
  const guess = input("Your guess: p99 of the queries under policy B, ms", { type: "number", value: values.guess, min: 1, max: 10000 }, (value) => set("guess")(value)).node;
  const run = el("button", { type: "button", class: "main", click: () => simulateUnder([values.a, values.b], 2) }, "Run both");
  const all = el("button", { type: "button", click: () => simulateUnder(["rule", ...names.filter((name) => name !== "rule")], 1) }, "Rule against all that ship");
  const node = section("sandbox", "Sandbox",
    el("p", null, prose("Recordings of real models on an H100: one answers queries that come at random, the other is [[batch]] work beside it. Choose two policies, or write one: a rule says who goes first, and whether a task may pass now.")),
    controls, el("div", { class: "control wide" }, el("label", { for: "rule" }, "The policy “rule”"), rule), el("div", { class: "controls" }, guess, run, all), status, results);

  const set = (key) => (value) => {
    values[key] = value;
    writeAddress("sandbox", values);
  };
  const apps = Object.entries(sandboxApps).map(([name, words]) => [name, `${name}, ${words}`]);
  const number = (key, label, more) => input(label, { type: "number", value: values[key], ...more }, (value) => set(key)(Number(value))).node;
  async function fill() {
    names = JSON.parse((await told(["list", "policies", "--format", "json"], {})).stdout).map(({ name }) => name);
    const policies = names.map((name) => [name, name]);
    controls.replaceChildren(choice("Queries to", apps, set("service"), values.service).node, choice("Batch work", apps, set("batch"), values.batch).node,
      number("rate", "Queries per second", { min: 1, max: 200 }), number("target", "Target, ms", { min: 1, max: 1000 }),
      choice("Policy A", policies, set("a"), values.a).node, choice("Policy B", policies, set("b"), values.b).node);
  }
  whenNear(node, fill);

  const ask = (policy) => told(["run", "sandbox.json", "--policy", policy === "rule" ? "rule:file=mine.rule" : policy, "--quiet", "--output", "results.db", "--format", "json"], { "sandbox.json": sandboxWorkload(values), "mine.rule": rule.value });
  let turn = 0;
  /** Runs policies and shows those that are over; of the first `reasons` why a query was slow. Others may lack what this page has not. */
  async function simulateUnder(policies, reasons) {
    const asked = ++turn;
    const { service, guess } = values; // they may change meanwhile
    const [runs, missing] = [[], []];
    status.textContent = `Simulating 6 s under ${policies.length} policies …`;
    try {
      await Promise.all(policies.map(async (policy, i) => {
        const answer = await ask(policy).catch((error) => {
          if (!(error instanceof ProgramError) || i < reasons) throw error;
          missing.push(policy);
        });
        if (!answer) return;
        runs[i] = { report: JSON.parse(answer.stdout), store: answer.files["results.db"] };
        if (asked === turn) results.replaceChildren(runsTable(runs.filter(Boolean)));
      }));
      const shown = runs.slice(0, reasons);
      const jobs = await Promise.all(shown.map(async (one) => (await explained(one, ["--app", service, "--worst", reasons > 1 ? "100000" : "1"])).apps[0].slowest));
      if (asked !== turn) return;
      if (reasons > 1) {
        const said = guess === "" ? null : Number(guess);
        results.prepend(...verdict({ guess: { truth: () => p99Of(runs[1], service), unit: "ms", step: 1 } }, null, said), queriesChart(shown, jobs));
      }
      results.append(
        el("h3", null, "Why was the slowest one slow?"), el("ul", { class: "findings" }, shown.map((one, i) => slowestItem(jobs[i][0], policyOf(one)))),
        el("h3", null, "What did the policy decide meanwhile?"), ...shown.map((one, i) => decisionSteps(one, policyOf(one), timeOf(jobs[i][0]))));
      results.dataset.ready = asked;
      status.textContent = missing.length ? `Not shown, since this page lacks what they need: ${missing.sort().join(", ")}.` : "";
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      if (asked === turn) status.textContent = error.message;
    }
  }
  const p99Of = ({ report }, name) => report.apps.find((app) => app.name === name).latency_ms.p99;
  /** The time of a job, in place of a stage. */
  const timeOf = (job) => ({ from: (job?.arrival_ms ?? 0) * 1000, to: ((job?.arrival_ms ?? 0) + (job?.latency_ms ?? 0)) * 1000, show() {} });
  const runsTable = (runs) => table("Sandbox: what each application got", [
    { title: "Policy", cell: policyOf }, { title: "Application", cell: ({ app }) => app.name },
    { title: "p99, ms", value: ({ app }) => app.latency_ms.p99 }, { title: "Late, %", value: ({ app }) => (app.late_fraction === null ? null : 100 * app.late_fraction) },
    { title: "Jobs per second", value: ({ app }) => app.throughput_per_s }, { title: "Progress", value: ({ app }) => app.normalised_progress },
  ], runs.flatMap(({ report }) => report.apps.map((app) => ({ report, app }))));
}

/** Latencies of all queries under both policies: the same arrivals, on one axis. `jobs`: of each run, as `explain` has them. */
function queriesChart(runs, jobs) {
  const title = "Every query, under both policies";
  const points = jobs.flatMap((rows, side) => rows.map((job) => ({ x: job.arrival_ms / 1000, y: job.latency_ms, side, job: job.job })));
  const label = (side) => `${"AB"[side]}: ${policyOf(runs[side])}`;
  const self = chart(title, (width) => {
    const dots = runs.map((_, side) => Plot.dot(points.filter((point) => point.side === side), { x: "x", y: "y", fill: colourOf(side + 2), symbol: symbolOf(side + 2), r: 3 }));
    const target = Plot.ruleY([jobs.flat()[0]?.qos_ms].filter(known), { stroke: "var(--violated)", strokeDasharray: "4 3" });
    return drawPlot({ width, height: 270, marginLeft: 50, marginBottom: 44, x: { label: "arrived at, s", labelOffset: 40 }, y: { label: "latency, ms (log scale)", grid: true, type: "log" }, marks: [target, ...dots] });
  }, "Dashed: the target.");
  self.node.append(legend(runs.map((_, side) => ({ symbol: side + 2, text: label(side) }))));
  self.node.append(asTable(table(title, [
    { title: "Query", cell: (point) => point.job }, { title: "Policy", cell: (point) => label(point.side) },
    { title: "Arrived at, s", value: (point) => point.x }, { title: "Latency, ms", value: (point) => point.y }], points)));
  return self.node;
}
