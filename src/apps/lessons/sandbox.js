// The sandbox: recorded applications, any policy, a rule of one's own, any load. Recordings have thousands of kernels, so that it
// shows numbers and reasons and no stage.
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

function sandboxSection() {
  const values = { service: "vit", batch: "timesformer", rate: 15, target: 30, a: "mps", b: "rule", rule: sandboxRule };
  const address = readAddress();
  if (address.id === "sandbox") for (const key of Object.keys(values)) if (key in address.values) values[key] = typeof values[key] === "number" ? Number(address.values[key]) : address.values[key];
  const rule = el("textarea", { id: "rule", rows: 6, spellcheck: "false", input: () => set("rule")(rule.value) });
  rule.value = values.rule;
  const status = el("p", { role: "status", class: "note" });
  const results = el("div", null);
  const controls = el("div", { class: "controls sliders" });
  const run = el("button", { type: "button", class: "main", click: () => simulateBoth() }, "Run both");
  const node = section("sandbox", "Sandbox",
    el("p", null, prose("Recordings of real models on an H100: one answers queries that come at random, the other is [[batch]] work beside it. Choose two policies, or write one: a rule says who goes first, and whether a task may pass now.")),
    controls, el("div", { class: "control wide" }, el("label", { for: "rule" }, "The policy “rule”"), rule), el("div", { class: "controls" }, run), status, results);

  const set = (key) => (value) => {
    values[key] = value;
    writeAddress("sandbox", values);
  };
  const apps = Object.entries(sandboxApps).map(([name, words]) => [name, `${name}, ${words}`]);
  const number = (key, label, more) => input(label, { type: "number", value: values[key], ...more }, (value) => set(key)(Number(value))).node;
  async function fill() {
    const policies = JSON.parse((await told(["list", "policies", "--format", "json"], {})).stdout).map((one) => [one.name, one.name]);
    controls.replaceChildren(choice("Queries to", apps, set("service"), values.service).node, choice("Batch work", apps, set("batch"), values.batch).node,
      number("rate", "Queries per second", { min: 1, max: 200 }), number("target", "Target, ms", { min: 1, max: 1000 }),
      choice("Policy A", policies, set("a"), values.a).node, choice("Policy B", policies, set("b"), values.b).node);
  }
  whenNear(node, fill);

  const ask = (policy) => told(["run", "sandbox.json", "--policy", policy === "rule" ? "rule:file=mine.rule" : policy, "--quiet", "--output", "results.db", "--format", "json"], { "sandbox.json": sandboxWorkload(values), "mine.rule": rule.value });
  async function simulateBoth() {
    status.textContent = "Simulating 6 s under both …";
    try {
      const answers = await Promise.all([values.a, values.b].map(ask));
      const runs = answers.map((answer) => ({ report: JSON.parse(answer.stdout), store: answer.files["results.db"] }));
      status.textContent = "";
      await showRuns(runs);
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      status.textContent = error.message;
    }
  }
  async function showRuns(runs) {
    const rows = runs.flatMap(({ report }) => report.apps.map((app) => ({ report, app })));
    const sentences = await Promise.all(runs.map((one) => blameOf({}, one, one.report.policy.split(":")[0])));
    results.replaceChildren(table("Sandbox: what each application got", [
      { title: "Policy", cell: ({ report }) => report.policy.split(":")[0] }, { title: "Application", cell: ({ app }) => app.name },
      { title: "p99, ms", value: ({ app }) => app.latency_ms.p99 }, { title: "Late, %", value: ({ app }) => (app.late_fraction === null ? null : 100 * app.late_fraction) },
      { title: "Jobs per second", value: ({ app }) => app.throughput_per_s }, { title: "Progress", value: ({ app }) => app.normalised_progress },
    ], rows), el("h3", null, "Why was the slowest one slow?"), el("ul", { class: "findings" }, sentences.filter(Boolean)));
    results.dataset.ready = "yes";
  }
}
