// A sweep: a measure over an axis, a line for each policy; then which point the rest of the page is about.
"use strict";

const sweepPolicies = [...new Set(everyRun.map((run) => run.policy))];
const numericAxes = axes.filter((key) => points.every((point) => !(key in point.values) || known(point.values[key])));
const valuesOf = (key) => new Set(points.map((point) => point.values[key])).size;

/** What can be drawn: {title, value(run), range(run)?, mark(run)?, target?}, marks as of bounds. */
function sweepMeasures() {
  const appsOfAll = [...new Set(everyRun.flatMap((run) => run.apps.map((app) => app.name)))];
  const of = (name) => (run) => run.apps.find((app) => app.name === name);
  const list = [];
  for (const name of appsOfAll) {
    const app = of(name);
    const bounded = (run) => app(run)?.overloaded === true;
    const mark = (run) => (bounded(run) ? ">" : "");
    if (everyRun.some((run) => known(app(run)?.p99_over_qos)))
      list.push({ title: `p99 / target of ${name}`, value: (run) => app(run)?.p99_over_qos, range: (run) => (bounded(run) ? null : app(run)?.p99_over_qos_ci95), mark, target: 1 },
        { title: `late jobs of ${name}, %`, value: (run) => 100 * app(run)?.late_fraction });
    else if (everyRun.some((run) => app(run)?.role === "service" && known(app(run).latency_ms.p99)))
      list.push({ title: `p99 of ${name}, ms`, value: (run) => app(run)?.latency_ms.p99, range: (run) => (bounded(run) ? null : app(run)?.latency_ms.p99_ci95), mark });
  }
  for (const [key, title] of systemMeasures) list.push({ title, value: (run) => run.system[key], mark: (run) => boundOfSystem(run, key) });
  return list.filter((measure) => everyRun.some((run) => known(measure.value(run))));
}

/** Panels of points that differ in the axis alone; or one, unjoined, where there would be nearly as many panels as points. */
function panelsOf(axis) {
  const panels = new Map();
  for (const point of points.filter((one) => known(one.values[axis]))) {
    const name = nameOfPoint(point, axis);
    panels.set(name, [...(panels.get(name) ?? []), point]);
  }
  if (panels.size <= 12 && 2 * panels.size <= points.length) return { joined: true, panels: [...panels] };
  return { joined: false, panels: [["", [...panels.values()].flat()]] };
}

function sweepChart() {
  const measures = sweepMeasures();
  let measure = measures[0];
  let axis = [...numericAxes].sort((a, b) => valuesOf(b) - valuesOf(a))[0];
  const rowsOf = (some) => some.flatMap((point) => everyRun.filter((run) => run.point === point.number).map((run) => ({
    run, point, x: point.values[axis], y: measure.value(run), policy: sweepPolicies.indexOf(run.policy),
    low: measure.range?.(run)?.[0] ?? null, high: measure.range?.(run)?.[1] ?? null, mark: measure.mark?.(run) ?? "",
  }))).filter((row) => known(row.y)).sort((a, b) => a.x - b.x);
  const title = "Every point of the sweep";
  let beside = "";
  function panel([name, some], joined, width, domain, log) {
    const rows = rowsOf(some);
    const of = (policy) => rows.filter((row) => row.policy === policy);
    const each = sweepPolicies.map((_, policy) => policy).filter((policy) => of(policy).length);
    const ranged = (row) => known(row?.low);
    const alone = (line) => line.filter((row, i) => ranged(row) && !ranged(line[i - 1]) && !ranged(line[i + 1])); // a band would have no width
    const across = { label: `${axisName(axis)} →`, grid: true, ticks: width < 500 ? 4 : 8, nice: true };
    const frame = { width, height: 260, marginLeft: 52, marginBottom: 40, marginRight: 14,
      x: across, y: { label: null, type: log ? "log" : "linear", domain, grid: true, ticks: 5, tickFormat: (v) => show(v) } };
    const bare = drawPlot({ ...frame, marks: [Plot.dot(rows, { x: "x", y: "y" })] });
    const dots = sideBySide(rows, bare, (d) => d.x, (d) => d.y, (d) => d.policy);
    beside ||= besideNote(dots);
    return el("div", { style: `width:${width}px` }, name ? el("p", { class: "panel" }, name) : null, drawPlot({
      ...frame, x: { ...across, domain: bare.scale("x").domain, nice: false },
      marks: [
        measure.target ? Plot.ruleY([measure.target], { stroke: "currentColor", strokeDasharray: "5 3" }) : null,
        joined ? each.map((policy) => [
          Plot.areaY(of(policy), { x: "x", y1: "low", y2: "high", fill: colourOf(policy), fillOpacity: 0.18 }),
          Plot.link(alone(of(policy)), { x1: "x", x2: "x", y1: "low", y2: "high", stroke: colourOf(policy), strokeOpacity: 0.3, strokeWidth: 14 }),
          Plot.line(of(policy), { x: "x", y: "y", stroke: colourOf(policy), strokeWidth: 1.8, strokeDasharray: dashOf(policy) })]) : null,
        Plot.dot(dots, { x: "across", y: "y", r: 4, symbol: (d) => symbolOf(d.policy), fill: (d) => (d.mark ? "var(--surface)" : colourOf(d.policy)), stroke: (d) => colourOf(d.policy) }),
        Plot.tip(dots, Plot.pointer({ x: "across", y: "y", title: (d) => `${d.run.policy}\n${nameOfPoint(d.point)}\n${measure.title}: ${marked(d.mark, show(d.y))}${known(d.low) ? `\n95 %: ${interval([d.low, d.high])}` : ""}` })),
      ],
    }));
  }
  function draw(width) {
    const { joined, panels } = panelsOf(axis);
    const rows = rowsOf(points);
    const all = rows.flatMap((row) => [row.y, row.low, row.high]).filter(known).concat(measure.target ?? []);
    const log = measure.target && Math.max(...all) > 8 && Math.min(...all) > 0;
    const domain = log ? [Math.min(...all) / 1.3, Math.max(...all) * 1.3] : [Math.min(0, ...all), Math.max(...all) * 1.08];
    const across = Math.max(1, Math.min(panels.length, 3, Math.floor(width / 300)));
    const gap = 16;
    beside = "";
    const each = Math.floor((width - gap * (across - 1)) / across);
    return [
      el("p", { class: "panel" }, `${measure.title}${log ? " (logarithmic)" : ""}`),
      el("div", { class: "panels" }, panels.map((one) => panel(one, joined, each, domain, log))),
      legend(sweepPolicies.map((policy, i) => ({ text: policy, ...(joined ? { colour: colourOf(i), dash: dashOf(i) === "none" ? "40 0" : dashOf(i) } : { symbol: i }) }))),
      note([
        measure.target ? "The dashed level is the target. " : "", joined && rows.some((row) => known(row.low)) ? "Bands are 95 % intervals. " : "",
        rows.some((row) => row.mark) ? "Hollow marks are bounds, lower (>) or upper (<) ones, where services are overloaded. " : "", beside,
      ].join("")),
    ];
  }
  const self = chart(title, draw);
  const columns = () => [
    ...axes.map((key) => ({ title: axisName(key), word: "sweep.axis", term: "An axis", number: numericAxes.includes(key), cell: (point) => String(point.values[key] ?? "–"), sort: (point) => point.values[key] })),
    ...sweepPolicies.map((policy) => ({ title: policy, word: "sweep.measure", term: "A policy", number: true, cell: (point) => { const run = everyRun.find((one) => one.point === point.number && one.policy === policy); return run ? marked(measure.mark?.(run), show(measure.value(run))) : "–"; } })),
    { title: "Its page", word: "sweep.page", cell: (point) => el("a", { href: `?point=${point.number}#summary`, "aria-label": `The page of point ${point.number}` }, `point ${point.number}`) },
  ];
  const place = el("div");
  const fill = () => place.replaceChildren(table(measure.title, columns(), points));
  fill();
  self.node.insertBefore(el("div", { class: "controls" },
    choice("Measure", measures.map((one, i) => [i, one.title]), (value) => { measure = measures[value]; fill(); self.draw(); }).node,
    numericAxes.length > 1 ? choice("Over", numericAxes.map((key) => [key, axisName(key)]), (value) => { axis = value; self.draw(); }, axis).node : null), self.room);
  self.node.append(asTable(place));
  return self.node;
}

if (points.length > 1) {
  section("sweep", `Sweep of ${points.length} points`, numericAxes.length ? sweepChart() : note("No axis has numbers: choose a point."),
    page.runs_left_out ? note(`${page.runs_left_out} runs of further points are left out.`) : null,
    choice("What follows is of the point", points.map((point) => [point.number, `${point.number}: ${nameOfPoint(point)}`]), (value) => { location.search = `?point=${value}`; }, chosenPoint.number).node);
  section.of = `at ${nameOfPoint(chosenPoint)}`;
}
