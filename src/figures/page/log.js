// The decision log, with search and filters.
"use strict";

let showDecisions = () => {};

function decisionsOf(detail) {
  return detail.log.rows.map(([number, us, hook, verb, app, words]) => {
    const decision = { number, us, hook: detail.log.hooks[hook], verb: detail.log.verbs[verb], app: app >= 0 ? detail.apps[app] : "", words };
    decision.text = `${decision.number} ${decision.hook} ${decision.verb} ${words}`.toLowerCase();
    return decision;
  });
}

function logSection() {
  const node = section("log", "Decisions");
  const able = details.filter((detail) => detail.log.rows.length);
  const made = details.length ? details.filter((detail) => detail.log.made > 0 && !detail.log.stored) : runs.filter((run) => run.system.decisions > 0); // of a sweep no run has details
  if (made.length)
    node.append(note(`Stored without their decisions: ${made.map((one) => one.label).join(", ")}. `, command("cotenant run … -o R.db"), " keeps them, comparisons do not."));
  if (!able.length) {
    if (!made.length) node.append(note("These policies decided nothing while applications ran."));
    return;
  }
  const most = 50;
  const wanted = { detail: able[0], words: [], app: "", verb: "", from: null, to: null, first: 0 };
  const cache = new Map();
  const all = () => cache.get(wanted.detail) ?? cache.set(wanted.detail, decisionsOf(wanted.detail)).get(wanted.detail);
  const passes = (d) => (!wanted.app || d.app === wanted.app) && (!wanted.verb || d.verb === wanted.verb) && (wanted.from === null || d.us >= wanted.from) && (wanted.to === null || d.us <= wanted.to) && wanted.words.every((word) => d.text.includes(word));
  const columns = [
    { title: "Number", word: "decision.decision", number: true, cell: (d) => String(d.number) }, { title: "Time, ms", word: "decision.time_ms", number: true, cell: (d) => (d.us / 1000).toFixed(3) },
    { title: "When", word: "decision.hook", cell: (d) => d.hook }, { title: "Decision", word: "decision.verb", cell: (d) => d.verb }, { title: "What it did, and why", word: "explain.words", prose: true, cell: (d) => d.words },
  ];
  const list = table("Decisions that match", columns, []);
  const status = el("p", { role: "status", class: "note" });
  const cutNote = note("");
  const step = (label, by) => el("button", { type: "button", click: () => { wanted.first += by; update(); } }, label);
  const back = step("← earlier", -most);
  const on = step("later →", most);
  function update() {
    const rows = all().filter(passes);
    wanted.first = Math.max(0, Math.min(wanted.first, Math.floor(Math.max(rows.length - 1, 0) / most) * most));
    const last = Math.min(rows.length, wanted.first + most);
    list.refill(rows.slice(wanted.first, last));
    status.textContent = rows.length ? `${wanted.first + 1} to ${last} of ${rows.length} decisions that match` : "No decision matches.";
    back.disabled = wanted.first === 0;
    on.disabled = last >= rows.length;
    const { log } = wanted.detail;
    cutNote.textContent = log.rows.length < log.stored ? `The page has ${log.rows.length} of ${log.stored} decisions of this run: first those while one of its slowest jobs was there, then from the beginning as far as its size allows (“--budget”).` : "";
  }
  const restart = (change) => (value) => { change(value); wanted.first = 0; update(); };
  const time = (value) => (value === "" || !Number.isFinite(Number(value)) ? null : Number(value) * 1000);
  const values = (key) => [...new Set(able.flatMap((detail) => (key === "verb" ? detail.log.verbs : detail.apps)))];
  const run = choice("Policy", able.map((detail) => [detail.index, detail.label]), restart((value) => { wanted.detail = details[value]; }));
  const from = input("From, ms", { type: "number", min: "0", step: "any" }, restart((value) => { wanted.from = time(value); }));
  const to = input("To, ms", { type: "number", min: "0", step: "any" }, restart((value) => { wanted.to = time(value); }));
  const app = choice("Application", [["", "all"], ...values("app").map((v) => [v, v])], restart((value) => { wanted.app = value; }));
  const verb = choice("Decision", [["", "all"], ...values("verb").map((v) => [v, v])], restart((value) => { wanted.verb = value; }));
  const search = input("Search", { type: "search", placeholder: "e.g. hold headroom bfs:3" }, restart((value) => { wanted.words = value.toLowerCase().split(/\s+/).filter(Boolean); }));
  showDecisions = (detail, low, high) => {
    wanted.detail = detail;
    Object.assign(wanted, { app: "", verb: "", words: [], from: low, to: high, first: 0 });
    run.select.value = detail.index;
    app.select.value = verb.select.value = search.box.value = "";
    from.box.value = low / 1000;
    to.box.value = high / 1000;
    update();
    node.scrollIntoView();
    search.box.focus({ preventScroll: true });
  };
  node.append(
    el("p", null, "What the policy decided, when, and why, in the words of “cotenant explain --decisions”. Times within these are predictions of the policy, not measurements."),
    cutNote, el("search", { class: "controls" }, run.node, app.node, verb.node, from.node, to.node, search.node), status, list, el("div", { class: "controls" }, back, on),
  );
  update();
}
