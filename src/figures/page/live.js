// Runs of this page once more, by the program itself, with other numbers: `html --live` put it and the recordings here (core.js).
"use strict";

const folderless = (text, names) => {
  const [path] = text.split("#");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return names.includes(name) ? name + text.slice(path.length) : text;
};

/** The workload of a run as it was, its recordings named without folders. */
function liveWorkload(detail) {
  const names = Object.keys(page.live);
  const { given, ...workload } = JSON.parse(detail.config, (_, value) => (typeof value === "string" ? folderless(value, names) : value));
  return workload;
}

/** Shares of applications in an option, "a=60+b=40", as [name, percent]; null: it is something else. */
function sharesOf(text) {
  const parts = String(text).split("+").map((part) => part.match(/^(.+)=(\d+(?:\.\d+)?)$/));
  return parts.every(Boolean) ? parts.map(([, name, share]) => [name, Number(share)]) : null;
}

/** What can be moved of a workload: {label, unit, least, most, step, value, set(workload, value)}. */
function liveNumbers(workload) {
  const numbers = [];
  workload.apps.forEach((app, i) => {
    const { rate_per_s: rate, clients } = app.arrivals ?? {};
    if (rate > 0) numbers.push({ label: `Load of ${app.name}`, unit: "per s", least: rate / 10, most: 4 * rate, step: rate / 10, value: rate, set: (to, value) => { to.apps[i].arrivals.rate_per_s = value; } });
    else if (clients > 0) numbers.push({ label: `Clients of ${app.name}`, least: 1, most: 8 + clients, step: 1, value: clients, set: (to, value) => { to.apps[i].arrivals.clients = value; } });
  });
  numbers.push({ label: "SMs", least: 1, most: workload.gpu.sms, step: 1, value: workload.gpu.sms, set: (to, value) => {
    to.gpu.sms = value;
    delete to.gpu.mig; // profiles of all SMs do not fit into fewer: the preset's, as with --set gpu.sms
  } });
  for (const [key, option] of Object.entries(workload.policy)) {
    const shares = sharesOf(option);
    if (typeof option === "number") numbers.push({ label: key, option: true, step: "any", value: option, set: (to, value) => { to.policy[key] = value; } });
    shares?.forEach(([name, share], i) => numbers.push({ label: `${key}: ${name}`, unit: "%", least: 1, most: 100, step: 1, value: share, set: (to, value) => {
      const all = sharesOf(to.policy[key]);
      all[i][1] = value;
      to.policy[key] = all.map(([one, part]) => `${one}=${part}`).join("+");
    } }));
  }
  return numbers;
}

/** A slider, or for an option, whose range is the policy's own, a field. */
function liveInput(number, change) {
  const { label, unit, least, most, step, value } = number;
  const shown = el("output", null, show(value, unit));
  const told = (text) => {
    shown.textContent = show(Number(text), unit);
    change(Number(text));
  };
  const { node } = number.option ? input(label, { type: "number", step, value }, (text) => change(Number(text))) : input(label, { type: "range", min: least, max: most, step, value }, told);
  if (!number.option) node.append(shown);
  return node;
}

async function liveRun(workload) {
  const files = Object.fromEntries(Object.entries(page.live).map(([name, text]) => [`traces/${name}`, Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
  const answer = await core.run(["run", "again.json", "--quiet", "--format", "json"], { ...files, "again.json": JSON.stringify(workload) });
  if (answer.code !== 0) throw new Error(answer.stderr.trim() || `cotenant ended with exit code ${answer.code}`);
  return JSON.parse(answer.stdout);
}

const liveMeasures = [
  ["p99, ms", "latency_ms.p99", (app) => app.latency_ms.p99, bound], ["Late, %", "late_fraction", (app) => (known(app.late_fraction) ? 100 * app.late_fraction : null)],
  ["Jobs per second", "throughput_per_s", (app) => app.throughput_per_s], ["Progress", "normalised_progress", (app) => app.normalised_progress, boundOfProgress],
];

function liveTable(before, after) {
  const rows = after.apps.map((app, i) => ({ app, was: before.apps[i] }));
  const times = [["before", ({ was }) => was], ["now", ({ app }) => app]];
  const columns = liveMeasures.flatMap(([title, word, of, mark]) => times.map(([time, at]) => ({ title: `${title}, ${time}`, word, value: (row) => of(at(row)), around: (text, row) => marked(mark?.(at(row)), text) })));
  const verdicts = times.map(([time, at]) => ({ title: `Verdict, ${time}`, word: "qos_met", cell: (row) => (hasTarget(at(row)) ? verdictMark(verdictOf(at(row))) : "–") }));
  return table("What each application gets", [{ title: "Application", word: "app", cell: ({ app }) => app.name }, ...columns, ...(rows.some(({ app }) => hasTarget(app)) ? verdicts : [])], rows, { id: "live-table" });
}

/** Of whom there is no more than bounds now. */
function liveBounds(after) {
  const names = (test) => after.apps.filter(test).map((app) => app.name).join(", ");
  const over = names(queuesUp);
  const service = names((app) => isCut(app) && app.role === "service"), cut = names((app) => isCut(app) && app.role !== "service");
  return [
    over && note(`Overloaded now: ${over}: the backlog grows; latencies marked > are lower bounds, progress marked < an upper one.`),
    service && note(`A job of ${service} has not ended now when the run does: latencies marked > are lower bounds, progress marked < an upper one.`),
    cut && note(`A job of ${cut} at the end has now taken longer than any that ended: latencies marked > are lower bounds, progress marked < an upper one.`),
  ].filter(Boolean);
}

/** Whether the page's program says of the run what the store says. */
function sameAsStored(detail, report) {
  if (detail.replications > 1) return null; // the store shows all replications together
  const stored = detail.run === null ? null : runs[detail.run];
  return stored && stored.apps.every((app, i) => liveMeasures.every(([, , of]) => of(app) === of(report.apps[i])));
}

function liveSection() {
  const some = page.live ? details.filter((detail) => detail.config) : [];
  if (!some.length) return;
  const status = el("p", { role: "status", class: "note" }, "Move something: the run is made again in this page.");
  const sliders = el("div", { class: "controls" });
  const results = el("div", { "aria-live": "polite" });
  let before;
  let workload;
  let timer;
  let turn = 0;
  async function again(asked, detail) {
    status.textContent = "Simulating …";
    try {
      const unchanged = (before ??= liveRun(liveWorkload(detail)));
      const [was, now] = await Promise.all([unchanged, liveRun(workload)]);
      if (asked !== turn) return;
      const same = sameAsStored(detail, was);
      status.textContent = `${same === true ? "Without a change it gives the numbers of the store. " : same === false ? "Without a change it gives other numbers than the store. " : ""}One replication.`;
      results.replaceChildren(liveTable(was, now), ...liveBounds(now));
      results.dataset.ready = String(asked);
    } catch (error) {
      if (asked === turn) status.textContent = error.message;
    }
  }
  function take(detail) {
    [before, workload] = [undefined, liveWorkload(detail)];
    results.replaceChildren();
    sliders.replaceChildren(...liveNumbers(workload).map((number) => liveInput(number, (value) => {
      number.set(workload, value);
      const asked = ++turn;
      clearTimeout(timer);
      timer = setTimeout(() => again(asked, detail), 300);
    })));
  }
  const pick = choice("Run", some.map((detail, i) => [String(i), detail.label]), (i) => take(some[i]), "0");
  take(some[0]);
  section("live", "Run it again", el("p", null, "This page holds the simulator. The scenes and exercises that come with it, ", el("a", { href: "cotenant-lessons.html" }, "cotenant-lessons.html"), ", are a page of their own that belongs beside this one."), el("div", { class: "controls" }, pick.node), sliders, status, results);
}
