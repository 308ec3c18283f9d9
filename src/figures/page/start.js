// The rest of the page: on what the numbers rest, and its head.
"use strict";

function policiesWith(test) {
  const some = runs.filter(test);
  return some.length === runs.length ? "every policy" : some.map((run) => run.label).join(", ");
}

/** Texts that several runs share are said once. */
function sharedList(of) {
  const texts = [...new Set(runs.flatMap(of))];
  return texts.map((text) => [text, policiesWith((run) => of(run).includes(text))]);
}

/** What of one kind of input came how, the largest part first. */
function coverage(shares) {
  const parts = Object.entries(shares).filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1]);
  return parts.map(([how, share]) => `${percent(share).replace(" ", "\u00a0")} ${how.replaceAll("_", " ")}`).join(", ") || "unknown";
}

function basisSection() {
  const check = (text) => (text === null ? "not checked" : text === "ok" ? el("span", { class: "verdict met" }, "✓ ok") : el("span", { class: "verdict violated" }, `✗ ${text}`));
  const columns = [
    { title: "Policy", word: "policy", cell: (run) => run.label },
    ...[["durations", "Durations"], ["geometry", "Geometry"], ["demand", "Memory demand"], ["host_gaps", "Host gaps"], ["units", "Use of units"]].map(([kind, title]) => ({ title, word: `page.${kind}`, cell: (run) => coverage(run.inputs[kind]) })),
    { title: "Conservation", word: "conservation", cell: (run) => check(run.checks.conservation) }, { title: "Little's law", word: "littles_law", cell: (run) => check(run.checks.littles_law) },
    { title: "Events", word: "events", value: (run) => run.engine.events }, { title: "Kernels", word: "kernels", value: (run) => run.engine.kernels },
    { title: "Decisions", word: "decisions", value: (run) => run.system.decisions }, { title: "Rejected", word: "rejected_verbs", value: (run) => run.system.rejected_verbs },
  ];
  const pairs = (title, rows, heads) => (rows.length ? table(title, heads.map(([title, word], i) => ({ title, word, prose: true, cell: (row) => row[i] })), rows) : null);
  const devices = sharedList((run) => Object.entries(run.device).map(([key, value]) => `${key}: ${value}`));
  const counters = runs.flatMap((run) => Object.entries(run.policy_counters).map(([key, value]) => [run.label, key, show(value)]));
  const withConfig = details.filter((detail) => detail.config);
  section("basis", "What it rests on",
    el("p", null, "How the inputs came to be, by time on the device, and whether the run obeys the laws that it must."),
    table("Inputs and checks", columns, runs),
    noticeLists(),
    el("details", null, el("summary", null, "The device"), pairs("Settings of the device", devices, [["Setting", "page.setting"], ["Under", "page.under"]])),
    counters.length ? el("details", null, el("summary", null, "The policies' own counters"), pairs("Counters", counters, [["Policy", "policy"], ["Counter", "page.counter"], ["Value", "page.count"]])) : null,
    withConfig.length ? el("details", null, el("summary", null, "The workload as it ran"), configText(withConfig)) : null);
}

/** What every run says, then what each says besides, in the order in which it was said. */
function noticeLists() {
  const shared = runs[0].notices.filter((text) => runs.every((run) => run.notices.includes(text)));
  const own = (run) => run.notices.filter((text) => !shared.includes(text));
  const list = (texts) => el("ul", null, texts.map((text) => el("li", null, text)));
  const several = runs.filter((run) => own(run).length);
  if (!shared.length && !several.length) return null;
  return [el("h3", null, "Assumptions and limits"), shared.length ? list(shared) : null, several.map((run) => [el("h4", null, run.label), list(own(run))])];
}

function configText(some) {
  const text = el("pre", { tabindex: "0" }, indented(some[0].config));
  const options = some.map((detail) => [detail.index, detail.label]);
  return [some.length > 1 ? choice("Run", options, (value) => { text.textContent = indented(details[value].config); }).node : null, text];
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function head() {
  const first = runs[0];
  const one = (values) => [...new Set(values)].filter(known);
  const list = (get) => [...new Set(everyRun.map(get))].join(", ");
  const policies = new Set(runs.map((run) => run.policy)).size;
  const counted = `${policies} ${policies === 1 ? "policy" : "policies"}${runs.length > policies ? ` in ${runs.length} runs` : ""}`;
  const seconds = one(everyRun.map((run) => run.duration_s)).map((s) => show(s, "s")).join(", ");
  document.getElementById("title").textContent = page.sweep ?? list((run) => run.workload ?? "results");
  document.getElementById("subtitle").textContent =
    `${points.length > 1 ? `Sweep of ${points.length} points of ${list((run) => run.workload ?? "a workload")} · ` : ""}GPU ${list((run) => run.gpu)} · ${counted} · ${seconds} with a warm-up of ${one(everyRun.map((run) => run.warmup_s)).map((s) => show(s, "s")).join(", ")} · ` +
    `${list((run) => run.reps)} replication${everyRun.every((run) => run.reps === 1) ? "" : "s"} · seed ${list((run) => run.seed)} · ${list((run) => run.fidelity)} model`;
  footer(first.version);
}

summarySection();
comparisonSection();
serversSection();
chartsSection();
usageSection();
jobsSection();
liveSection();
logSection();
basisSection();
head();
document.documentElement.dataset.ready = "yes";
