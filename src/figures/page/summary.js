// What came out, in words and tables: targets, throughput, fairness, and which differences are real.
"use strict";

const verdictOf = (app) => (app.qos_met === true ? "met" : app.qos_met === false ? "violated" : "open");

/** The verdict as a word with a mark, so that colour is not needed to read it. */
function verdictMark(word) {
  const marks = { met: "✓", violated: "✗", open: "?", "too few": "?", better: "▲", worse: "▼", same: "=" };
  return el("span", { class: `verdict ${word === "too few" ? "open" : word}` }, `${marks[word]} ${word}`);
}

/** Else each of its instances had at most one job at the end, of a batch application one that is older than any that ended, or its target may yet be kept. */
const mayKeep = (app) => hasTarget(app) && verdictOf(app) === "open" && app.latency_ms.p99 <= app.qos_ms;
const queuesUp = (app) => app.overloaded === true && app.backlog_jobs > app.instances && !mayKeep(app);
const isCut = (app) => app.overloaded === true && !queuesUp(app);

const showSystem = (run, key) => marked(boundOfSystem(run, key), show(run.system[key]));

// What the unknown memory demand leaves open: ranges over draws of it, where a run was looked at so.
const bandOf = (run) => run.system.band ?? null;

/** Names of applications whose p99 is on one side of its target in the first replication, of which the draws are, and over all on the other. */
function apartNames() {
  const beyond = (ms, app) => known(ms) && ms > app.qos_ms * (1 + 1e-9);
  const isApart = (run, app) => run.reps > 1 && known(app.band?.p99_ms_none) && known(app.qos_ms) && (app.qos_met === false || beyond(app.latency_ms.p99, app)) !== beyond(app.band.p99_ms_none, app);
  return [...new Set(runs.flatMap((run) => run.apps.filter((app) => isApart(run, app)).map((app) => app.name)))].join(", ");
}

/** Whether the verdict holds over the draws. */
function bandFindings() {
  const drawn = runs.filter((run) => bandOf(run));
  if (!drawn.length) return [];
  const top = [...drawn].sort((a, b) => (bandOf(b).best ?? 0) - (bandOf(a).best ?? 0))[0];
  const band = bandOf(top);
  const start = `Over ${band.draws} draws of the memory demand that nobody measured${top.reps > 1 ? ", in the first replication" : ""}, `;
  const verdict = known(band.best) && !apartNames() ? `${top.label} is the best in ${percent(band.best)}: STP ${interval(band.stp)}.` : `STP under ${top.label} is ${interval(band.stp)}.`;
  const leans = band.class && show(band.class_stp[0]) !== show(band.class_stp[1]) ? ` It hangs most on kernels of class ${band.class}: ${interval(band.class_stp)}.` : "";
  return [start + verdict + leans];
}

const labelsOf = (some) => some.map((run) => run.label).join(", ");

/** What chance may have done to a p99 beside its target. */
function chanceFindings() {
  const under = (test) => runs.filter((run) => run.apps.some((app) => hasTarget(app) && known(app.p99_over_qos) && app.overloaded !== true && test(app.p99_over_qos_ci95 ?? [])));
  const bare = under(([low]) => !known(low));
  const around = under(([low, high]) => known(low) && low <= 1 && high > 1);
  return [
    bare.length && `${bare.length === runs.length ? "No p99 has a 95 % interval" : `No 95 % interval of a p99 under ${labelsOf(bare)}`}: how far chance moved it is unknown.`,
    around.length && `The 95 % interval of a p99 holds its target under ${labelsOf(around)}: met or not may be chance.`,
  ].filter(Boolean);
}

function findings() {
  const point = chosenPoint ? chosenPoint.number : 0;
  const told = page.findings.find((one) => one.point === point)?.texts ?? [];
  const list = told.map((text) => text.replace(/\{(\d+)\}/g, (_, index) => runs[index].label));
  const over = runs.filter((run) => run.apps.some(queuesUp));
  if (over.length) list.push(`Overloaded under ${labelsOf(over)}: the backlog grows, and latencies are lower bounds (marked >).`);
  const service = runs.filter((run) => run.apps.some((app) => isCut(app) && app.role === "service"));
  if (service.length) list.push(`Under ${labelsOf(service)} a job of a service had not ended when the run did: latencies are lower bounds (marked >).`);
  const cut = runs.filter((run) => run.apps.some((app) => isCut(app) && app.role !== "service"));
  if (cut.length) list.push(`Under ${labelsOf(cut)} a job at the end has taken longer than any that ended: latencies are lower bounds (marked >).`);
  list.push(...chanceFindings(), ...bandFindings());
  if (runs.some((run) => run.oracle)) list.push("Where a policy was told the true durations (oracle), its result is an upper bound.");
  return el("ul", { class: "findings" }, list.map((text) => el("li", null, text)));
}

/** A range over draws, which are of the first replication: beside several it stands below what came of that one where unknown demand is none. */
const drawnCell = (run, none, range, mark) => (run.reps > 1 && known(none) ? withInterval(marked(mark, show(none)), range) : interval(range));

function drawnNote() {
  const of = runs.find((run) => bandOf(run) && run.reps > 1);
  const apart = apartNames() ? ` It shows how far the p99 / target moves from there, but not on which side of the target it is: over all replications that of ${apartNames()} is on the other side.` : "";
  return of ? note(`Demand drawn: what came of the first replication where the unknown demand is none, and below it the least and most of ${bandOf(of).draws} draws.${apart}`) : null;
}

function policyTable() {
  const drawn = runs.some((run) => bandOf(run) && run.reps > 1) ? "first replication, demand drawn" : "demand drawn";
  const ofApp = (name, value) => (run) => (appOf(run, name) ? value(appOf(run, name)) : null);
  const columns = [{ title: "Policy", word: "policy", cell: (run) => run.label, sort: (run) => run.label }];
  for (const name of targeted) {
    const get = ofApp(name, (app) => app);
    columns.push({
      of: name, title: "p99 / target", word: "p99_over_qos",
      value: (run) => get(run)?.p99_over_qos,
      around: (text, run, format) => (get(run) ? withInterval([`${marked(bound(get(run)), text)} `, verdictMark(verdictOf(get(run)))], get(run).overloaded ? null : get(run).p99_over_qos_ci95, format) : "–"),
    });
    if (runs.some((run) => get(run)?.band))
      columns.push({
        of: name, title: `p99 / target, ${drawn}`, word: "compare.drawn",
        number: true,
        cell: (run) => drawnCell(run, get(run)?.band?.p99_ms_none / get(run)?.qos_ms, get(run)?.band?.p99_ms?.map((ms) => ms / get(run).qos_ms), bound(get(run) ?? {})),
        sort: (run) => get(run)?.band?.p99_ms?.[1],
      });
    columns.push(percentColumn("late, %", "late_fraction", (run) => get(run)?.late_fraction, { of: name }));
  }
  for (const [key, title] of systemMeasures)
    if (runs.some((run) => known(run.system[key])))
      columns.push({ title, word: key, value: (run) => run.system[key], around: (text, run) => marked(boundOfSystem(run, key), text) });
  if (runs.some(bandOf))
    columns.push({ title: `STP, ${drawn}`, word: "compare.drawn", number: true, cell: (run) => drawnCell(run, bandOf(run)?.stp_none, bandOf(run)?.stp, boundOfSystem(run, "stp")), sort: (run) => bandOf(run)?.stp?.[1] });
  const intervals = runs.some((run) => run.apps.some((app) => known(app.p99_over_qos_ci95[0])));
  const whats = `${targeted.length ? "targets, " : ""}throughput and fairness`;
  return table(`Policies: ${whats}${intervals ? ", with 95 % intervals" : ""}`, columns, runs);
}

function appTable() {
  const rows = runs.flatMap((run) => run.apps.map((app) => ({ run, app })));
  const latency = (key) => ({ title: `${key}, ms`, word: `latency_ms.${key}`, value: ({ app }) => app.latency_ms[key], around: (text, { app }) => marked(bound(app), text) });
  const columns = [
    { title: "Policy", word: "policy", cell: ({ run }) => run.label, sort: ({ run }) => run.label },
    { title: "Application", word: "app", cell: ({ app }) => app.name, sort: ({ app }) => app.name },
    { title: "Role", word: "role", cell: ({ app }) => `${app.role}${app.instances > 1 ? ` × ${app.instances}` : ""}`, sort: ({ app }) => app.role },
    { title: "Jobs", word: "jobs", value: ({ app }) => app.jobs },
    latency("mean"), latency("p50"), latency("p95"),
    { title: "p99, ms", word: "latency_ms.p99", value: ({ app }) => app.latency_ms.p99, around: (text, { app }, format) => withInterval(marked(bound(app), text), app.overloaded ? null : app.latency_ms.p99_ci95, format) },
    { title: "p99 alone, ms", word: "alone_p99_ms", value: ({ app }) => app.alone_p99_ms, around: (text, { app }) => marked(app.alone_overloaded === true ? ">" : "", text) },
    ...(targeted.length ? [{ title: "Target, ms", word: "qos_ms", value: ({ app }) => app.qos_ms },
    { title: "Verdict", word: "qos_met", cell: ({ app }) => (hasTarget(app) ? verdictMark(verdictOf(app)) : "–"), sort: ({ app }) => verdictOf(app) }] : []),
    { title: "Jobs/s", word: "throughput_per_s", value: ({ app }) => app.throughput_per_s },
    { title: "Progress", word: "normalised_progress", value: ({ app }) => app.normalised_progress, around: (text, { app }) => marked(boundOfProgress(app), text) },
  ];
  return table("Applications: latency from arrival, and progress against running alone", columns, rows);
}

/** The answer as a picture, then as tables. */
function summarySection() {
  section("summary", "Summary", findings(), runs.length > 1 ? policyFilter() : null,
    el("div", { class: "pair" }, targeted.length ? targetChart() : progressChart(), tradeoffChart()),
    policyTable(), drawnNote(), appTable(),
    page.comparisons.filter((one) => one.in_store > 1).map((one) => note(`The newest of ${one.in_store} comparisons that ${page.stores > 1 ? `store ${one.store}` : "the store"} holds.`)),
    page.runs_left_out && !chosenPoint ? note(`${page.runs_left_out} further runs of the stores are left out.`) : null);
}

// ---- Which differences are real ----

const measureNames = { ...Object.fromEntries(systemMeasures), p99_ms: "p99, ms", ttft_p99_ms: "TTFT p99, ms", tpot_p99_ms: "TPOT p99, ms", mean_ms: "mean, ms", turnaround_ms: "Turnaround, ms", late_fraction: "Late, %", goals_met: "Goals met, %" };
const measureName = (key) => measureNames[key] ?? key.replaceAll("_", " ");
const pOf = (d) => d.p_adjusted ?? d.p_holm; // a store of before has Holm's alone
/** As the table has a difference: shares in per cent, and one number of decimals for all of its row. */
function differenceRow(d, store) {
  const unit = measureNames[d.measure]?.endsWith("%") ? 100 : 1;
  const scaled = (number) => (known(number) ? unit * number : null);
  const verdict = d.verdict === "open" && !known(d.p) ? "too few" : d.verdict;
  const row = { ...d, store, verdict, mean_a: scaled(d.mean_a), mean_b: scaled(d.mean_b), difference: scaled(d.difference), range: (d.simultaneous ?? d.ci95).map(scaled) };
  row.text = columnFormat([row.mean_a, row.mean_b, row.difference, ...row.range]);
  return row;
}

/** Which policies had the same schedule as another, a sentence for each of these and reason. */
function identicalNotes(pairs) {
  const groups = new Map();
  for (const { policy_a, policy_b, why } of pairs) {
    const end = `against ${policy_a}: identical, the same schedule in every replication, since ${why}.`;
    groups.set(end, [...(groups.get(end) ?? []), policy_b]);
  }
  return [...groups].map(([end, policies]) => note(`${policies.join(", ")} ${end}`));
}

const better = (d) => ({ better: 1, worse: -1 })[d.verdict] ?? 0;

function comparisonSection() {
  if (!page.comparisons.some((one) => one.differences.length)) return;
  const all = page.comparisons.flatMap((one) => one.differences.map((d) => differenceRow(d, one.store)));
  const identical = page.comparisons.flatMap((one) => one.identical);
  const wanted = { against: all[0].policy_a, measure: "", app: "", verdict: "" };
  const columns = [
    { title: "Policy", word: "policy_b", cell: (d) => d.policy_b, sort: (d) => d.policy_b },
    { title: "Against", word: "policy_a", cell: (d) => d.policy_a, sort: (d) => d.policy_a },
    { title: "Measure", word: "measure", cell: (d) => measureName(d.measure), sort: (d) => measureName(d.measure) },
    { title: "Application", word: "app", cell: (d) => d.app ?? "all", sort: (d) => d.app ?? "" },
    { title: "Its value", word: "mean_b", number: true, cell: (d) => d.text(d.mean_b), sort: (d) => d.mean_b },
    { title: "The other’s", word: "mean_a", number: true, cell: (d) => d.text(d.mean_a), sort: (d) => d.mean_a },
    { title: "Difference", word: "difference", number: true, cell: (d) => withInterval(d.text(d.difference), d.range, d.text), sort: (d) => d.difference },
    { title: "p", word: "p_adjusted", number: true, cell: (d) => (!known(pOf(d)) ? "–" : pOf(d) < 0.001 ? "<0.001" : pOf(d).toFixed(3)), sort: pOf },
    { title: "Verdict", word: "verdict", cell: (d) => verdictMark(d.verdict), sort: better },
    { title: "More replications", word: "more_reps", number: true, cell: (d) => (d.verdict === "open" ? show(d.more_reps) : ""), sort: (d) => d.more_reps ?? Infinity },
  ];
  const passes = (d) => (!wanted.against || d.policy_a === wanted.against) && (!wanted.measure || d.measure === wanted.measure) && (!wanted.app || (d.app ?? "all") === wanted.app) && (!wanted.verdict || d.verdict === wanted.verdict);
  const rows = () => all.filter(passes);
  const count = el("p", { role: "status", class: "note" });
  const alike = el("div");
  const list = table("Differences between policies under the same arrivals", columns, all, { class: "scroller tall" });
  const update = () => {
    list.refill(rows());
    count.textContent = `${rows().length} of ${all.length} differences`;
    alike.replaceChildren(...identicalNotes(identical.filter((one) => !wanted.against || one.policy_a === wanted.against)));
  };
  const filter = (label, key, value, name = (v) => v) => {
    const values = [...new Set(all.map(value))];
    return choice(label, [["", "all"], ...values.map((v) => [v, name(v)])], (v) => { wanted[key] = v; update(); }, wanted[key]).node;
  };
  section(
    "comparison", "Comparison",
    el("p", null, "Pairs of policies, replication by replication under common random numbers, with intervals and p that hold at 95 % for all differences of a comparison at once. Open: 0 is in the interval; about how many more replications would tell is in the last column. Too few: jobs, or replications, for an interval, to say what chance did, however large the difference; the notes on the runs say how many it takes. Values are means over the replications; the tables above put their jobs together."),
    el("div", { class: "controls" }, filter("Against", "against", (d) => d.policy_a), filter("Measure", "measure", (d) => d.measure, measureName), filter("Application", "app", (d) => d.app ?? "all"), filter("Verdict", "verdict", (d) => d.verdict)),
    runs.every((run) => run.reps === 2) ? note("Two replications tell only differences that are nearly the same in both: an interval reaches many times their distance to either side. Five tell much more.") : null,
    count, alike, list,
  );
  update();
}
