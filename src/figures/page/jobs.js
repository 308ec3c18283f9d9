// The slowest jobs of two runs side by side on one axis, each with its parts and its tasks; one of them in sentences.
"use strict";

const causeIndex = (name) => page.causes.findIndex((cause) => cause.name === name);
const [soloWork, hostGap, ownQueue, readyPool, deviceQueue, stages, batcher] = ["solo_work", "host", "own_queue", "ready_pool", "device_queue", "stages", "batcher"].map(causeIndex);

/** The parts of a job one after the other, in the order of the causes. */
function partSegments(job) {
  let at = 0;
  return (job.parts_us ?? []).map((us, cause) => ({ from: at, to: (at += us), cause, text: `${page.causes[cause].words}: ${duration(us)} of ${duration(job.latency_us)}` })).filter((part) => part.to > part.from);
}

/** What a job did and waited for, where its tasks are known. Later segments lie over earlier ones. */
function taskSegments(job, names) {
  if (!job.tasks.length) return [];
  const start = Math.min(...job.tasks.map((task) => task[2] ?? task[5] ?? Infinity));
  const end = job.latency_us;
  const segments = [];
  let begun = 0;
  for (const cause of job.parts_us ? [stages, batcher, ownQueue] : [ownQueue]) {
    const from = begun;
    begun = job.parts_us ? Math.min(start, from + job.parts_us[cause]) : start;
    segments.push({ from, to: begun, cause, text: `${page.causes[cause].words}: ${duration(begun - from)}` });
  }
  segments.push({ from: begun, to: end, cause: hostGap, text: `no task ready, or between tasks: ${page.causes[hostGap].words}` });
  const waits = [];
  const runs = [];
  for (const [name, , ready, issued, queued, started, ended, share] of job.tasks) {
    const what = names[name];
    if (known(ready) && issued > ready) waits.push({ from: ready, to: issued, cause: readyPool, text: `${what}\n${page.causes[readyPool].words}: ${duration(issued - ready)}` });
    if (known(queued) && started > queued) waits.push({ from: queued, to: started, cause: deviceQueue, text: `${what}\n${page.causes[deviceQueue].words}: ${duration(started - queued)}` });
    if (known(ended)) runs.push({ from: started, to: ended, cause: soloWork, running: true, text: `${what}\non the device for ${duration(ended - started)}, from ${duration(started)} on${share > 0 ? `, ${show(share / 10)} % of the SMs` : ""}` });
  }
  return [...segments, ...waits, ...runs].filter((segment) => segment.to > segment.from);
}

/** Segments in the range; those that are narrower than half a pixel are joined with a neighbour of their kind. */
function inRange(segments, [low, high], pixel) {
  const seen = new Map();
  const out = [];
  for (const segment of segments) {
    if (segment.to < low || segment.from > high) continue;
    const last = seen.get(segment.cause);
    if (last && segment.from - last.to < pixel / 2 && segment.from >= last.from && (segment.to - segment.from < pixel || last.to - last.from < pixel)) {
      last.to = Math.max(last.to, segment.to);
      last.joined = (last.joined ?? 1) + 1;
      continue;
    }
    const copy = { ...segment };
    seen.set(segment.cause, copy);
    out.push(copy);
  }
  return out;
}

const runTarget = (detail, job) => {
  const run = detail.run === null ? runs.find((r) => appOf(r, detail.apps[job.app])) : runs[detail.run];
  return run ? targetOfJobs(appOf(run, detail.apps[job.app])) : null;
};

/** When a job's axis begins: at its arrival, or with the run. */
const originOf = (job, clock) => (clock ? job.arrival_us : 0);

/** "a-service…:33" */
function cutJob(name, most) {
  const number = name.slice(name.lastIndexOf(":"));
  return name.length > most ? `${cut(name, Math.max(most - number.length, 2))}${number}` : name;
}

/** Parts, tasks, targets and names (of at most so many letters) of the jobs, each with its row and side. */
function lanesOf(sides, labels, clock, range, pixel, most) {
  const origin = (job) => originOf(job, clock);
  const place = (segment, { job, i }, side, lane) => ({ ...segment, from: (origin(job) + segment.from) / 1000, to: (origin(job) + segment.to) / 1000, row: i, side: labels[side], lane, job });
  const lanes = { parts: [], tasks: [], targets: [], names: [] };
  sides.forEach((side, s) => side.forEach((row) => {
    lanes.names.push({ row: row.i, side: labels[s], text: row.job ? cutJob(row.job.name, most) : "not stored" });
    if (!row.job) return;
    const fit = (segments, lane) => inRange(segments.map((segment) => place(segment, row, s, lane)), range, pixel);
    lanes.parts.push(...fit(row.job.parts_us ? partSegments(row.job) : [{ from: 0, to: row.job.latency_us, cause: -1, text: `${duration(row.job.latency_us)}; its parts are not stored` }], "parts"));
    lanes.tasks.push(...fit(taskSegments(row.job, row.detail.names), "tasks"));
    const target = runTarget(row.detail, row.job);
    if (known(target)) lanes.targets.push({ row: row.i, side: labels[s], at: target + origin(row.job) / 1000 });
  }));
  return lanes;
}

/** The chart of the jobs of one or two runs; `choose` is told the row of a job that was clicked. */
function drawJobs(sides, clock, width, range, choose) {
  if (!sides.length) return note("No such jobs.");
  const rows = Math.max(...sides.map((side) => side.length));
  const margin = Math.min(width / 4, 20 + 7 * Math.max(...sides.flat().map(({ job }) => (job ? job.name.length : 4))));
  const labels = ["A", "B"].map((letter, i) => (sides[i] ? `${letter}: ${labelOfDetail(sides[i][0].detail)}` : null)).filter(Boolean);
  const lanes = lanesOf(sides, labels, clock, range, (range[1] - range[0]) / width, (margin - 12) / 7.5);
  const all = [...lanes.parts, ...lanes.tasks];
  const height = lanes.tasks.length ? 32 : 20;
  const half = lanes.tasks.length ? 16 : 0;
  const fill = (d) => (d.running ? "var(--running)" : d.cause < 0 ? "var(--muted)" : causeFill(d.cause));
  const bar = (data, insetTop, insetBottom) => Plot.barX(data, { x1: "from", x2: "to", y: "row", fy: "side", fill, insetTop, insetBottom, clip: true });
  const middle = (d) => (Math.max(d.from, range[0]) + Math.min(d.to, range[1])) / 2;
  const svg = drawPlot({
    width, marginLeft: margin, marginRight: 16, marginTop: 30, marginBottom: 40, height: 80 + sides.length * (rows * height + 34),
    x: { domain: range, label: clock ? "time in the run, ms →" : "since the job's arrival, ms →", grid: true, tickFormat: (v) => show(v), ticks: width < 500 ? 4 : 8 },
    y: { type: "band", domain: Array.from({ length: rows }, (_, i) => i), axis: null, padding: 0.12 },
    fy: { domain: labels, axis: null, padding: 34 / (rows * height + 34) },
    marks: [
      Plot.text(labels, { fy: (d) => d, text: (d) => cut(d, width / 8), frameAnchor: "top-left", dx: 4 - margin, dy: -16, textAnchor: "start", fontWeight: "bold" }),
      Plot.text(lanes.names, { fy: "side", y: "row", text: "text", frameAnchor: "left", textAnchor: "end", dx: -6 }),
      bar(lanes.parts, 1, half), bar(lanes.tasks, half, 1),
      Plot.tickX(lanes.targets, { x: "at", y: "row", fy: "side", stroke: "currentColor", strokeWidth: 2, clip: true }),
      Plot.tip(all, Plot.pointer({ x: middle, y: "row", fy: "side", maxRadius: 60, title: (d) => `${d.job.name}\n${d.text}${d.joined ? `\n(${d.joined} pieces, zoom in to tell them apart)` : ""}` })),
    ],
  }, true);
  svg.addEventListener("click", () => {
    if (svg.value?.job) choose(sides.flat().find((row) => row.job === svg.value.job));
  });
  const used = page.causes.map((_, i) => i).filter((i) => all.some((segment) => segment.cause === i && !segment.running));
  return [svg, legend([...(lanes.tasks.length ? [{ text: "lower lane: on the device", colour: "var(--running)" }] : []), ...used.map((i) => ({ text: page.causes[i].words, colour: causeFill(i) }))])];
}

// ---- One job ----

function taskList(detail, job) {
  if (!job.task_count) return note("Its tasks are not stored: ", command("cotenant run … --timeline T.json -o R.db"), " keeps them.");
  if (!job.tasks.length) return note(`Its ${job.task_count} tasks did not fit the size of the page: “--budget” gives them room.`);
  const columns = [
    { title: "Task", word: "task.name", prose: true, cell: (task) => detail.names[task[0]] }, { title: "Stream", word: "task.stream", number: true, cell: (task) => task[1] },
    ...[["Ready", "ready"], ["Issued", "issued"], ["At the head of its queue", "queued"], ["Started", "started"], ["Ended", "ended"]].map(([title, key], i) => ({ title, word: `task.${key}_ms`, number: true, cell: (task) => duration(task[i + 2]) })),
    { title: "Share of the SMs", word: "task.share", number: true, cell: (task) => (task[7] > 0 ? show(task[7] / 10, "%") : "–") },
  ];
  const list = el("details", { class: "data" }, el("summary", null, `Its ${job.tasks.length} tasks`));
  list.addEventListener("toggle", () => { if (list.open && list.children.length === 1) list.append(table(`Tasks of ${job.name}, times since its arrival`, columns, job.tasks)); });
  return list;
}

/** What is known of one job: sentences, tables, tasks. */
function jobStory({ detail, job }) {
  const parts = (job.parts_us ?? []).map((us, cause) => ({ us, cause })).filter((part) => part.us > 0).sort((x, y) => y.us - x.us);
  const delays = (job.delayed_by_us ?? []).map((us, app) => ({ us, app })).filter((delay) => delay.us > 0).sort((x, y) => y.us - x.us);
  const children = [el("h3", { tabindex: "-1" }, `${job.name} under ${labelOfDetail(detail)}`),
    el("p", null, `Arrived at ${duration(job.arrival_us)}, ${job.unfinished ? "had not ended after" : "took"} ${duration(job.latency_us)}.`)];
  if (job.lines) children.push(el("ul", null, job.lines.map((line) => el("li", null, line))));
  else if (!job.own) children.push(note("Not one of this run's slowest: sentences are kept for those alone."));
  if (parts.length)
    children.push(table(`Where the time of ${job.name} went`, [{ title: "Part", word: "page.part", cell: (part) => page.causes[part.cause].words }, { title: "Time", word: "page.part_time", number: true, cell: (part) => duration(part.us) }, { title: "Of its latency", word: "page.part_share", number: true, cell: (part) => percent(part.us / job.latency_us) }], parts));
  if (delays.length)
    children.push(table(`Who delayed ${job.name}`, [{ title: "Application", word: "page.delayer", cell: (delay) => detail.apps[delay.app] }, { title: "By", word: "page.delay", number: true, cell: (delay) => duration(delay.us) }], delays));
  children.push(taskList(detail, job));
  if (detail.log.rows.length) children.push(el("button", { type: "button", click: () => showDecisions(detail, job.arrival_us, job.arrival_us + job.latency_us) }, "Decisions while it was there"));
  return children;
}

/** Why the tail of a run is long, of one application or of all. */
function tailOf(detail, app) {
  const some = detail.tails.filter((tail) => tail.lines.length && (!app || tail.app === app));
  return some.length ? el("details", null, el("summary", null, `Why the tail is long: ${labelOfDetail(detail)}`), some.map((tail) => [el("h3", null, tail.app), el("ul", null, tail.lines.map((line) => el("li", null, line)))])) : null;
}

// ---- The section ----

function jobsSection() {
  const node = section("jobs", "Slowest jobs");
  const able = details.filter((detail) => detail.jobs.length);
  if (!able.length) {
    node.append(note("No jobs are stored in these runs."));
    return;
  }
  const telling = [...able].sort((x, y) => (y.tasks_stored > 0) - (x.tasks_stored > 0)); // those with tasks show most
  const view = { a: telling[0], b: telling[1] ?? null, app: "", same: false, clock: false };
  const names = [...new Set(able.flatMap((detail) => detail.jobs.map((job) => detail.apps[job.app])))];
  const count = 10;

  const matches = (detail, job) => !view.app || detail.apps[job.app] === view.app;
  const slowest = (detail) => detail.jobs.filter((job) => job.own && matches(detail, job)).sort((x, y) => y.latency_us - x.latency_us).slice(0, count);
  const twin = (job) => view.b.jobs.find((other) => other.name === job.name && other.arrival_us === job.arrival_us);
  /** [{detail, job or null}], the runs one after the other. */
  function chosen() {
    const first = slowest(view.a);
    const second = !view.b ? [] : view.same ? first.map((job) => twin(job) ?? null) : slowest(view.b);
    return [first.map((job, i) => ({ detail: view.a, job, i })), second.map((job, i) => ({ detail: view.b, job, i }))];
  }
  function whole() {
    const jobs = chosen().flat().map((row) => row.job).filter(Boolean);
    if (!jobs.length) return [0, 1];
    const origin = (job) => originOf(job, view.clock);
    const low = Math.min(...jobs.map(origin));
    const high = Math.max(...jobs.map((job) => origin(job) + job.latency_us));
    return [low / 1000, high / 1000 + (high - low) / 50000];
  }

  const about = el("div", { class: "about", role: "region", "aria-live": "polite", "aria-label": "The chosen job" }, note("Choose a job in the chart or in the table below: what delayed it, in sentences."));
  const tell = (row) => about.replaceChildren(...jobStory(row));
  const draw = (width, range) => drawJobs(chosen().filter((rows) => rows.length), view.clock, width, range, (row) => {
    if (performance.now() - (self.dragged ?? -1000) > 300) tell(row);
  });
  const tasked = able.some((detail) => detail.tasks_stored > 0);
  const sidesName = () => [view.a, view.b].filter(Boolean).map(labelOfDetail).join(" and ");
  const self = zoomChart("Time lines of the slowest jobs", whole(), draw, {
    description: [
      tasked ? "Upper lane: the" : "The", " parts of the latency by blame, which add up to it.",
      tasked ? " Lower lane, where tasks are stored: when it waited and when its kernels and copies ran." : "", targeted.length ? " The thick tick is the target." : "",
    ].join(""),
  });

  // ---- Controls ----

  const listColumns = [
    { title: "Job", word: "page.job", cell: (row) => el("button", { type: "button", class: "link", click: () => { tell(row); about.querySelector("h3").focus(); } }, row.job.name) },
    { title: "Run", word: "page.run", cell: (row) => labelOfDetail(row.detail) }, { title: "Arrived, ms", word: "job.arrival_ms", value: (row) => row.job.arrival_us / 1000 },
    { title: "Latency, ms", word: "job.latency_ms", value: (row) => row.job.latency_us / 1000, around: (text, row) => marked(row.job.unfinished ? ">" : "", text) },
    { title: "Most of it", word: "page.most", cell: (row) => (row.job.parts_us ? page.causes[row.job.parts_us.indexOf(Math.max(...row.job.parts_us))].words : "–") },
  ];
  const present = () => chosen().flat().filter((row) => row.job);
  const list = table("The jobs of the chart", listColumns, present());
  const tails = el("div");
  function update() {
    list.refill(present());
    tails.replaceChildren(...[view.a, view.b].filter(Boolean).map((detail) => tailOf(detail, view.app)).filter(Boolean));
    self.name(sidesName());
    self.whole(whole());
  }
  const options = able.map((detail) => [detail.index, detail.label]);
  const same = view.b ? checkbox("B: the same jobs as A", false, (on) => { view.same = on; update(); }).node : null;
  node.append(
    el("p", null, "Two runs on one axis. The same workload and seed give the same arrivals: the jobs that one policy delays most can be looked for under the other."),
    el("div", { class: "controls" },
      choice("A", options, (value) => { view.a = details[value]; update(); }, view.a.index).node,
      view.b ? choice("B", options, (value) => { view.b = details[value]; update(); }, view.b.index).node : null,
      names.length > 1 ? choice("Application", [["", "all"], ...names.map((name) => [name, name])], (value) => { view.app = value; update(); }).node : null,
      choice("Axis", [["", "since arrival"], ["clock", "time in the run"]], (value) => { view.clock = value === "clock"; update(); }).node, same),
    self.node, ...names.map(jobsAre).filter(Boolean).map((text) => note(text)), about, list, tails,
  );
  if (able.some((detail) => detail.jobs.some((job) => !job.parts_us))) node.append(note("Some runs were stored without blame (“--no-blame”): their jobs have no parts."));
  if (!able.some((detail) => detail.tasks_stored)) node.append(note("No tasks are stored: ", command("cotenant run … --timeline T.json -o R.db"), " keeps them, one policy at a time; several runs may go into one store."));
  update();
}
