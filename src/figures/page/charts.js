// The charts of the policies: targets, progress, trade-off, latencies, blame.
"use strict";

const shownRuns = new Set(runs);
const redrawn = [];
const visible = () => runs.filter((run) => shownRuns.has(run));

const ruler = document.createElement("canvas").getContext("2d");

/** The pixels that a text takes in a chart. */
function textWidth(text) {
  ruler.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

/** A text, cut to what these pixels hold. */
function cutTo(text, pixels) {
  let most = text.length;
  while (most > 2 && textWidth(cut(text, most)) > pixels) most--;
  return cut(text, most);
}

const tickRoom = 14; // between a name and the axis, and before it

/** The room for names of policies beside a chart of this width. */
const policyMargin = (items, width) => Math.min(width / 2.5, 200, tickRoom + Math.ceil(Math.max(36, ...items.map((run) => textWidth(run.label)))));

/** Which policies the charts show. */
function policyFilter() {
  const boxes = runs.map((run) =>
    checkbox(run.label, true, (on) => {
      if (on) shownRuns.add(run);
      else shownRuns.delete(run);
      redrawn.forEach((redraw) => redraw());
    }));
  return el("fieldset", null, el("legend", null, "Policies shown"), boxes.map((box) => box.node));
}

// ---- p99 against target ----

function targetRows() {
  return visible().flatMap((run) =>
    run.apps.filter((app) => hasTarget(app) && known(app.p99_over_qos)).map((app) => ({
      run, app, ratio: app.p99_over_qos, verdict: verdictOf(app),
      low: app.overloaded ? null : app.p99_over_qos_ci95[0], high: app.overloaded ? null : app.p99_over_qos_ci95[1],
    })));
}

function targetChart() {
  let log = null;
  const wide = (rows) => { const all = rows.map((row) => row.ratio).filter((r) => r > 0); return all.length > 1 && Math.max(...all) / Math.min(...all) > 20; };
  const title = "p99 over target, by service and policy";
  function draw(width) {
    const rows = targetRows();
    if (!rows.length) return note("Nothing to show: no policy is chosen.");
    const useLog = log ?? wide(rows);
    const margin = policyMargin(visible(), width);
    const colour = (row) => `var(--${row.verdict})`;
    const reach = rows.flatMap((row) => [row.ratio, row.low, row.high]).filter(known).concat(1);
    const x = useLog ? { type: "log", domain: [Math.min(...reach.filter((v) => v > 0)) / 1.2, Math.max(...reach) * 1.2] } : { zero: true, nice: true };
    return drawPlot({
      width, marginLeft: margin, marginRight: 24, marginTop: 24, marginBottom: 44,
      height: 74 + targeted.length * (visible().length * 22 + 24),
      x: { ...x, label: "p99 / target →", grid: true, tickFormat: (v) => show(v), ticks: width < 500 ? 4 : 8 },
      y: { domain: visible().map((run) => run.label), label: null, tickFormat: (v) => cutTo(v, margin - tickRoom) },
      fy: { domain: targeted, label: null, axis: null, padding: 0.12 },
      marks: [
        Plot.text(targeted, { fy: (d) => d, text: (d) => cut(d, (width - margin) / 8), frameAnchor: "top-left", dx: 2, dy: -14, fontWeight: "bold" }),
        Plot.ruleX([1], { stroke: "currentColor", strokeDasharray: "5 3" }),
        Plot.link(rows, { fy: (d) => d.app.name, y: (d) => d.run.label, x1: 1, x2: "ratio", stroke: colour, strokeOpacity: 0.35, strokeWidth: 6 }),
        Plot.link(rows.filter((d) => known(d.low)), { fy: (d) => d.app.name, y: (d) => d.run.label, x1: "low", x2: "high", stroke: "currentColor", strokeWidth: 1.5 }),
        Plot.dot(rows, { fy: (d) => d.app.name, y: (d) => d.run.label, x: "ratio", r: 5, fill: (d) => (bound(d.app) ? "var(--surface)" : colour(d)), stroke: (d) => (bound(d.app) ? colour(d) : "var(--surface)"), symbol: (d) => ({ met: "circle", violated: "square", open: "diamond" })[d.verdict] }),
        Plot.tip(rows, Plot.pointer({ fy: (d) => d.app.name, y: (d) => d.run.label, x: "ratio", title: (d) => `${d.run.label}, ${d.app.name}\np99 ${marked(bound(d.app), show(d.app.latency_ms.p99))} ms of ${show(d.app.qos_ms)} ms: ${marked(bound(d.app), show(d.ratio))}\n95 %: ${interval([d.low, d.high])}\n${percent(d.app.late_fraction)} late, ${d.verdict}` })),
      ],
    });
  }
  const marks = [["met", "circle: met"], ["violated", "square: violated"], ["open", "diamond: cannot be told"]].filter(([word]) => targetRows().some((row) => row.verdict === word)).map(([, text]) => text);
  const intervals = targetRows().some((row) => known(row.low)) ? " The line through a mark is its 95 % interval." : "";
  const bounds = targetRows().some((row) => bound(row.app)) ? " Hollow marks are lower bounds, of services that are overloaded." : "";
  const self = chart(title, draw, `The dashed line is the target; ${marks.join(", ")}.${intervals}${bounds}`);
  redrawn.push(self.draw);
  self.node.insertBefore(checkbox("Logarithmic axis", wide(targetRows()), (on) => { log = on; self.draw(); }).node, self.room);
  const columns = [
    { title: "Policy", word: "policy", cell: (d) => d.run.label }, { title: "Service", word: "compare.service", cell: (d) => d.app.name },
    { title: "p99 / target", word: "p99_over_qos", number: true, cell: (d) => marked(bound(d.app), show(d.ratio)) }, { title: "95 % interval", word: "p99_over_qos_ci95", number: true, cell: (d) => interval([d.low, d.high]) },
    { title: "Verdict", word: "qos_met", cell: (d) => d.verdict },
  ];
  self.node.append(asTable(table(title, columns, targetRows())));
  return self.node;
}

// ---- Progress, where nothing has a target ----

function progressChart() {
  const title = "Progress against running alone, by application and policy";
  const rows = () => visible().flatMap((run) => run.apps.filter((app) => known(app.normalised_progress)).map((app) => ({ run, app })));
  if (!rows().length) return null;
  function draw(width) {
    const all = rows();
    if (!all.length) return note("Nothing to show: no policy is chosen.");
    const margin = policyMargin(visible(), width);
    return [
      drawPlot({
        width, marginLeft: margin, marginRight: 24, marginBottom: 44, height: 60 + visible().length * (12 * appNames.length + 12),
        x: { label: "progress →", domain: [0, Math.max(1, ...all.map((row) => row.app.normalised_progress))], grid: true, ticks: width < 500 ? 4 : 8, inset: 6 },
        y: { domain: visible().map((run) => run.label), label: null, tickFormat: (v) => cutTo(v, margin - tickRoom) },
        marks: [
          appNames.map((name, i) => {
            const lane = { y: (d) => d.run.label, dy: 12 * (i - (appNames.length - 1) / 2) };
            const own = all.filter((row) => row.app.name === name);
            return [
              Plot.link(own, { ...lane, x1: 0, x2: (d) => d.app.normalised_progress, stroke: colourOf(i), strokeOpacity: 0.35, strokeWidth: 4 }),
              Plot.dot(own, { ...lane, x: (d) => d.app.normalised_progress, r: 5, symbol: symbolOf(i), fill: (d) => (boundOfProgress(d.app) ? "var(--surface)" : colourOf(i)), stroke: (d) => (boundOfProgress(d.app) ? colourOf(i) : "var(--surface)") })];
          }),
          Plot.tip(all, Plot.pointer({ y: (d) => d.run.label, x: (d) => d.app.normalised_progress, title: (d) => `${d.run.label}, ${d.app.name}\nprogress ${marked(boundOfProgress(d.app), show(d.app.normalised_progress))}` })),
        ],
      }),
      legend(appNames.map((name, i) => ({ text: name, colour: colourOf(i), symbol: i }))),
    ];
  }
  const bounds = rows().some(({ app }) => boundOfProgress(app)) ? " Hollow marks are upper bounds, of services that are overloaded." : "";
  const self = chart(title, draw, `1 is as fast as alone on the GPU. Marks of a policy that end at the same place: shared fairly.${bounds}`);
  redrawn.push(self.draw);
  self.node.append(asTable(table(title, [{ title: "Policy", word: "policy", cell: (d) => d.run.label }, { title: "Application", word: "app", cell: (d) => d.app.name }, { title: "Progress", word: "normalised_progress", value: (d) => d.app.normalised_progress, around: (text, d) => marked(boundOfProgress(d.app), text) }], rows())));
  return self.node;
}

// ---- Trade-off ----

/**
 * Where the names of marks stand, free of marks and of each other: {textAnchor, dx, dy} from its mark, and whether it is `joined` to it
 * by a line, since it stands further away; `hidden`: nowhere.
 */
function labelPlaces(spots, texts, width, height) {
  const row = 16;
  const hides = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const marks = spots.map(({ x, y }) => [x - 7, y - 7, x + 7, y + 7]);
  const near = [["start", 10, 0], ["end", -10, 0], ["middle", 0, -15], ["middle", 0, 15]].map((place) => [...place, false]);
  const far = spots.flatMap((_, i) => [i + 1, -i - 1]).flatMap((k) => [["start", 10, k * row, true], ["end", -10, k * row, true]]);
  const taken = [];
  const order = spots.map((_, i) => i).sort((a, b) => spots[a].y - spots[b].y || a - b);
  const places = [];
  for (const i of order) {
    const { x, y } = spots[i];
    const size = textWidth(texts[i]);
    const all = [...near, ...far].map(([textAnchor, dx, dy, joined]) => {
      const left = x + dx - (textAnchor === "end" ? size : textAnchor === "middle" ? size / 2 : 0);
      return {
        textAnchor, dx, dy, joined,
        name: [left, y + dy - 7, left + size, y + dy + 7],
        line: joined ? [Math.min(x, x + dx), Math.min(y, y + dy), Math.max(x, x + dx), Math.max(y, y + dy)] : [0, 0, 0, 0],
      };
    });
    const free = ({ name, line }) => name[0] > 50 && name[2] < width && name[1] > 20 && name[3] < height &&
      !marks.some((mark, j) => j !== i && hides(mark, name)) &&
      !taken.some((other) => hides(other.name, name) || hides(other.name, line) || hides(other.line, name));
    places[i] = all.find(free) ?? { ...all[0], hidden: true };
    if (!places[i].hidden) taken.push(places[i]);
  }
  return places;
}

function tradeoffChart() {
  const title = "Throughput against late jobs";
  const points = () => visible().filter((run) => known(run.late_pct) && known(run.system.stp));
  const frontOf = (all) => all.filter((run) => run.on_front).sort((a, b) => a.late_pct - b.late_pct || a.system.stp - b.system.stp);
  function draw(width) {
    const all = points();
    if (!all.length) return note("Nothing to show: no policy is chosen.");
    const front = frontOf(all);
    const most = Math.max(...all.map((run) => run.late_pct), 1);
    const stps = all.map((run) => run.system.stp);
    const pad = Math.max((Math.max(...stps) - Math.min(...stps)) * 0.15, 0.05);
    const frame = {
      width, height: 380, marginLeft: 48, marginBottom: 40, marginRight: 16,
      x: { label: "late jobs of the worst service, % →", domain: [0, most > 50 ? 100 : most * 1.1], insetLeft: 10, insetRight: 10, grid: true, ticks: width < 500 ? 5 : 8 },
      y: { label: "↑ STP", domain: [Math.max(0, Math.min(...stps) - pad), Math.max(...stps) + pad], grid: true },
    };
    const scales = drawPlot({ ...frame, marks: [Plot.frame()] });
    const [x, y] = [scales.scale("x"), scales.scale("y")];
    const own = all.map((run) => ({ x: x.apply(run.late_pct), y: y.apply(run.system.stp) }));
    const places = labelPlaces(own, all.map((run) => cut(run.label)), width - 4, frame.height - frame.marginBottom);
    const fronts = [...new Set(front.map((run) => run.setting))].map((setting) => front.filter((run) => run.setting === setting).map((run) => own[all.indexOf(run)]));
    const seen = fronts.some((line) => Math.hypot(line[0].x - line.at(-1).x, line[0].y - line.at(-1).y) > 24); // more than the marks on it hide
    const among = new Set(all.map((run) => run.setting)).size > 1 ? " of the same workload, GPU and settings" : "";
    const marks = all.map((run, i) => ({ run, ...places[i], toX: x.invert(own[i].x + places[i].dx), toY: y.invert(own[i].y + places[i].dy) }));
    const named = marks.filter((d) => !d.hidden);
    const at = { x: (d) => d.run.late_pct, y: (d) => d.run.system.stp };
    return [
      drawPlot({
        ...frame,
        marks: [
          Plot.line(front, { x: "late_pct", y: (d) => d.system.stp, z: "setting", stroke: "currentColor", strokeDasharray: "4 3" }),
          Plot.link(named.filter((d) => d.joined), { x1: at.x, y1: at.y, x2: "toX", y2: "toY", stroke: "currentColor" }),
          Plot.dot(marks, { ...at, r: 6, symbol: (d) => symbolOf(d.run.index), fill: (d) => (boundOfSystem(d.run, "stp") ? "var(--surface)" : colourOf(d.run.index)), stroke: (d) => (boundOfSystem(d.run, "stp") ? colourOf(d.run.index) : "var(--surface)") }),
          named.map((d) => Plot.text([d], { ...at, text: () => cut(d.run.label), dx: d.dx, dy: d.dy, textAnchor: d.textAnchor, stroke: "var(--surface)", strokeWidth: 4, fill: "currentColor" })),
          Plot.tip(marks, Plot.pointer({ ...at, title: ({ run }) => `${run.label}\nSTP ${showSystem(run, "stp")}\n${inPercent(run.late_pct)} late\nbatch throughput ${show(run.system.batch_throughput_normalised)}` })),
        ],
      }),
      front.length ? note(`Beaten in both by no other${among}: ${front.map((run) => run.label).join(", ")}${seen ? " (the dashed line)" : ""}.`) : null,
      named.some((d) => d.joined) ? note("A line joins a mark to its name, where others leave no room beside it.") : null,
      marks.some((d) => d.hidden) ? legend(all.map((run) => ({ text: run.label, colour: colourOf(run.index), symbol: run.index }))) : null,
    ];
  }
  if (points().length < 2) return null;
  const bounds = points().some((run) => boundOfSystem(run, "stp")) ? " Hollow marks are upper bounds of the STP, where a service is overloaded." : "";
  const self = chart(title, draw, `Left and up is better.${bounds}`);
  redrawn.push(self.draw);
  const columns = [
    { title: "Policy", word: "policy", cell: (run) => run.label }, { title: "Late, worst service, %", word: "page.late_worst", most: 2, value: (run) => run.late_pct },
    { title: "STP", word: "stp", value: (run) => run.system.stp, around: (text, run) => marked(boundOfSystem(run, "stp"), text) }, { title: "Beaten in both by another", word: "page.beaten", cell: (run) => (run.on_front ? "no" : "yes") },
  ];
  self.node.append(asTable(table(title, columns, points())));
  return self.node;
}

// ---- Latencies ----

function latencyChart() {
  const names = appNames.filter((name) => page.curves.some((curve) => curve.app === name));
  if (!names.length) return note("No latencies of single jobs are stored.");
  let app = names[0];
  const curves = () => page.curves.filter((curve) => curve.app === app && shownRuns.has(runs[curve.run]));
  const everything = () => page.curves.filter((curve) => curve.app === app);
  const whole = () => [Math.max(1e-6, Math.min(...everything().map((c) => c.ms[0])) * 0.95), Math.max(...everything().map((c) => c.ms.at(-1))) * 1.05];
  const tail = (share) => -Math.log10(share); // each nine of the percentile takes the same room
  const pointsOf = (curve) => curve.ms.map((ms, i) => ({ ms, share: curve.share[i], run: runs[curve.run] }));
  const ticks = [0.5, 0.1, 0.01, 0.001, 1e-4, 1e-5];
  const title = "Distribution of latency";
  function draw(width, range) {
    const some = curves();
    const least = Math.min(0.009, ...some.map((curve) => curve.share.at(-1)));
    const target = visible().map((run) => targetOfJobs(appOf(run, app))).find(known);
    return [
      drawPlot({
        width, height: 380, marginLeft: 52, marginBottom: 40, clip: true,
        x: { type: "log", domain: range, label: "latency of a job, ms →", grid: true, tickFormat: (v) => show(v), ticks: width < 500 ? 4 : 8 },
        y: { domain: [0, tail(least)], label: "↑ percentile of the jobs", grid: true, ticks: ticks.filter((t) => t >= least).map(tail), tickFormat: (v) => `p${show(100 * (1 - 10 ** -v))}` },
        marks: [
          known(target) ? Plot.ruleX([target], { stroke: "currentColor", strokeDasharray: "5 3", clip: true }) : null,
          some.map((curve) => {
            return Plot.line(pointsOf(curve), { x: "ms", y: (d) => tail(d.share), stroke: colourOf(curve.run), strokeWidth: 2, strokeDasharray: dashOf(curve.run), clip: true });
          }),
          Plot.tip(some.flatMap(pointsOf).filter((d) => d.ms >= range[0] && d.ms <= range[1]),
            Plot.pointer({ x: "ms", y: (d) => tail(d.share), title: (d) => `${d.run.label}\n${show(100 * (1 - d.share), "%")} of the jobs took at most ${show(d.ms)} ms` })),
        ],
      }, true),
      legend(some.map((curve) => ({ text: `${runs[curve.run].label}${curve.unfinished ? " (at least)" : ""}`, colour: colourOf(curve.run), dash: dashOf(curve.run) === "none" ? "40 0" : dashOf(curve.run) }))),
      jobsAre(app) ? note(jobsAre(app)) : null,
    ];
  }
  const self = zoomChart(title, whole(), draw, { log: true, description: `${targeted.some((name) => names.includes(name)) ? "The dashed line is the target, where there is one. " : ""}Upwards each grid line is a smaller part of the jobs: where a curve crosses p99, one job in a hundred takes longer. All replications together.${page.curves.some((curve) => curve.unfinished) ? " Jobs that have not ended count with their age: such curves are lower bounds." : ""}` });
  redrawn.push(self.draw);
  const columns = [{ title: "Policy", word: "policy", cell: (curve) => runs[curve.run].label }, { title: "Latencies", word: "page.latencies", number: true, cell: (curve) => show(curve.jobs) },
    ...["p50", "p90", "p95", "p99", "p99.9"].map((key) => ({ title: `${key}, ms`, word: "page.percentile", term: "p50, p90 …, ms", number: true, cell: (curve) => marked(curve.unfinished ? ">" : "", show(curve.percentiles[key])) }))];
  const list = table(`${title}: points of the curves`, columns, everything());
  if (names.length > 1)
    self.node.insertBefore(el("div", { class: "controls" }, choice("Application", names.map((name) => [name, name]), (value) => { app = value; list.refill(everything()); self.name(app); self.whole(whole()); }).node), self.room);
  self.name(app);
  self.node.append(asTable(list));
  return self.node;
}

// ---- Blame ----

const strokes = ["", "M0 4h8", "", "M0 8L8 0M-2 2L2 -2M6 10L10 6", "M0 0L8 8M-2 6L2 10M6 -2L10 2", "M4 0v8", "M0 4h8M4 0v8", "M1 2h2M5 6h2", "M0 8L8 0M0 0L8 8", "M0 2h8M0 6h8", "M2 0v8M6 0v8", "M4 2v4", "M0 8L8 0"];

/** Patterns: {id, fill, path}, a colour, and strokes that tell it apart in grey. */
function makePatterns(patterns) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  for (const [name, value] of Object.entries({ width: 0, height: 0, "aria-hidden": "true", class: "patterns" })) svg.setAttribute(name, value);
  patterns.forEach((one) => {
    const pattern = document.createElementNS(ns, "pattern");
    for (const [name, value] of Object.entries({ id: one.id, width: 8, height: 8, patternUnits: "userSpaceOnUse" })) pattern.setAttribute(name, value);
    const rect = document.createElementNS(ns, "rect");
    for (const [name, value] of Object.entries({ width: 8, height: 8, style: `fill:${one.fill}` })) rect.setAttribute(name, value);
    const path = document.createElementNS(ns, "path");
    for (const [name, value] of Object.entries({ d: one.path, style: "stroke:var(--hatch);stroke-width:1.2;fill:none" })) path.setAttribute(name, value);
    pattern.append(rect, path);
    svg.append(pattern);
  });
  document.body.append(svg);
}

const causeFill = (index) => `url(#cause-${index})`;
makePatterns(page.causes.map((cause, i) => ({ id: `cause-${i}`, fill: `var(--cause-${cause.name}, var(--muted))`, path: strokes[i % strokes.length] })));

// Areas of applications beyond the colours have strokes, as their lines have dashes of their own.
const areaFill = (index) => (index < palette ? colourOf(index) : `url(#area-${index})`);
const hatches = strokes.filter(Boolean);
makePatterns(appNames.slice(palette).map((_, i) => ({ id: `area-${palette + i}`, fill: colourOf(i), path: hatches[Math.floor(i / palette) % hatches.length] })));

const causeLegend = (which) => legend(which.map((i) => ({ text: page.causes[i].words, colour: causeFill(i) })));

function blameChart() {
  const parts = (run, name) => page.causes.map((cause) => appOf(run, name)?.blame_ms_p99[cause.name]);
  const names = appNames.filter((name) => runs.some((run) => parts(run, name).some((ms) => ms > 0)));
  if (!names.length) return note("The blame of the tail was not recorded (“--no-blame”).");
  let app = names.find((name) => services.includes(name)) ?? names[0];
  let share = false;
  const title = "Where the slowest 1 % of jobs spend their time";
  const rows = (some) => some.flatMap((run) => {
    const all = parts(run, app);
    const sum = all.reduce((total, ms) => total + (known(ms) ? ms : 0), 0);
    let at = 0;
    return all.map((ms, cause) => {
      const size = known(ms) ? ms : 0;
      const from = at;
      at += size;
      const by = share && sum ? 100 / sum : 1;
      return { run, cause, ms: size, sum, from: from * by, to: at * by };
    }).filter((row) => row.ms > 0);
  });
  function draw(width) {
    const some = visible();
    const all = rows(some);
    if (!all.length) return note("Nothing to show: no policy is chosen, or none lost time.");
    const margin = policyMargin(some, width);
    const used = page.causes.map((_, i) => i).filter((i) => all.some((row) => row.cause === i));
    return [
      drawPlot({
        width, height: 66 + some.length * 32, marginLeft: margin, marginRight: 20, marginBottom: 44,
        x: { label: share ? "part of the latency, % →" : "ms per job →", grid: true, ticks: width < 500 ? 4 : 8 },
        y: { domain: some.map((run) => run.label), label: null, tickFormat: (v) => cutTo(v, margin - tickRoom) },
        marks: [
          Plot.barX(all, { x1: "from", x2: "to", y: (d) => d.run.label, fill: (d) => causeFill(d.cause), stroke: "var(--surface)", strokeWidth: 0.5 }),
          Plot.tip(all, Plot.pointer({ x: (d) => (d.from + d.to) / 2, y: (d) => d.run.label, title: (d) => `${d.run.label}\n${page.causes[d.cause].words}\n${show(d.ms)} of ${show(d.sum)} ms (${percent(d.ms / d.sum)})` })),
        ],
      }),
      causeLegend(used),
    ];
  }
  const self = chart(title, draw, "Mean over the slowest 1 %; the parts add up to their latency.");
  self.name(app);
  redrawn.push(self.draw);
  const used = page.causes.filter((cause) => names.some((name) => runs.some((run) => appOf(run, name)?.blame_ms_p99[cause.name] > 0)));
  const columns = [{ title: "Policy", word: "policy", cell: (run) => run.label },
    ...used.map((cause) => ({ title: `${cause.words}, ms`, word: "page.blame", term: "A part of the latency, ms", value: (run) => appOf(run, app)?.blame_ms_p99[cause.name] })),
    { title: "delayed by, ms", word: "page.delayed_by", prose: true, cell: (run) => Object.entries(appOf(run, app)?.delayed_by ?? {}).filter(([, ms]) => ms > 0).map(([name, ms]) => `${name} ${show(ms)}`).join(", ") || "–" }];
  const list = table(title, columns, runs);
  self.node.insertBefore(el("div", { class: "controls" },
    names.length > 1 ? choice("Application", names.map((name) => [name, name]), (value) => { app = value; list.refill(runs); self.name(app); self.draw(); }, app).node : null,
    checkbox("As parts of 100 %", false, (on) => { share = on; self.draw(); }).node), self.room);
  self.node.append(asTable(list));
  return self.node;
}

const chartsSection = () => section("charts", "Charts", latencyChart(), blameChart());
