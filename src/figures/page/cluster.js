// The page of a cluster: placements and policies beside each other, a map of the GPUs, its tables.
"use strict";

const scenarios = page.summary.map((sums, index) => ({ ...sums, index, label: `${sums.policy}, ${sums.placement}` }));
const boundOfGpu = (gpu) => (gpu.p99_is_bound === "yes" ? ">" : "");
const gpusOf = (scenario) => page.gpus.filter((gpu) => gpu.policy === scenario.policy && gpu.placement === scenario.placement);

function summarySection() {
  const columns = [
    { title: "Policy", word: "policy", cell: (s) => s.policy }, { title: "Placement", word: "cluster.placement", cell: (s) => s.placement },
    ...[["GPUs", "gpus"], ["Idle", "gpus_idle"], ["Co-locations with a target", "services"], ["of these violated", "violated"], ["above 1.4 × target", "severe"], ["GPUs violated", "gpus_violated"], ["Overloaded", "overloaded"], ["Queries", "queries"], ["of these lost", "lost_queries"]].map(([title, key]) => ({ title, word: `cluster.${key}`, value: (s) => s[key] })),
    percentColumn("Late, %", "cluster.late_fraction", (s) => s.late_fraction), { title: "Worst p99 / target", word: "cluster.worst_p99_over_qos", value: (s) => s.worst_p99_over_qos, around: (text, s) => marked(s.worst_is_bound === "yes" ? ">" : "", text) },
    percentColumn("Busy with batch work, %", "cluster.batch_busy_fraction", (s) => s.batch_busy_fraction), percentColumn("SM use, %", "cluster.sm_utilisation", (s) => s.sm_utilisation), { title: "Batch work, s/s", word: "cluster.batch_work", value: (s) => s.batch_work },
  ];
  const broken = scenarios.filter((s) => [s.conservation, s.littles_law, s.utilisation_law].includes("broken"));
  section("summary", "Summary", map(), table("Placements and policies", columns, scenarios),
    note(broken.length ? `BROKEN laws: ${broken.map((s) => s.label).join("; ")}` : "Conservation, Little's law and the utilisation law hold on every GPU."));
}

/** A square for each GPU, darker the busier it is; a mark on those whose queries are late. */
function map() {
  let scenario = scenarios[0];
  const title = "The GPUs: busy and late";
  const shade = (busy) => `color-mix(in srgb, var(--series-0) ${Math.round(80 * (busy ?? 0)) + 6}%, var(--surface))`;
  function draw(width) {
    const gpus = gpusOf(scenario);
    const across = Math.max(1, Math.min(gpus.length, Math.floor(width / Math.max(14, Math.min(40, Math.sqrt((width * 400) / gpus.length))))));
    const side = Math.min(width / across, 40);
    const rows = Math.ceil(gpus.length / across);
    const cells = gpus.map((gpu, i) => ({ ...gpu, column: i % across, row: Math.floor(i / across) }));
    const late = cells.filter((gpu) => gpu.late_fraction > 0);
    const inset = { insetTop: 1, insetBottom: 1, insetLeft: 1, insetRight: 1 };
    return [
      drawPlot({
        width: across * side, height: rows * side, margin: 0, r: { type: "identity" }, x: { axis: null, domain: [0, across] }, y: { axis: null, type: "band", domain: Array.from({ length: rows }, (_, i) => i), padding: 0 },
        marks: [
          Plot.barX(cells, { x1: "column", x2: (d) => d.column + 1, y: "row", fill: (d) => shade(d.batch_busy_fraction), stroke: "var(--line)", ...inset }),
          Plot.dot(late, { x: (d) => d.column + 0.5, y: "row", r: (d) => (side / 2 - 2) * Math.sqrt(d.late_fraction), fill: "var(--violated)", stroke: "var(--surface)" }),
          Plot.tip(cells, Plot.pointer({ x: (d) => d.column + 0.5, y: "row", title: (d) => `GPU ${d.number}, ${d.gpu}\n${d.colocation ?? "idle"}\nbusy ${percent(d.batch_busy_fraction)}, late ${percent(d.late_fraction)} of ${show(d.queries)} queries\np99 / target ${marked(boundOfGpu(d), show(d.p99_over_qos))}` })),
        ],
      }),
      legend([{ text: "not busy", colour: shade(0) }, { text: "busy with batch work all the time", colour: shade(1) }, { text: "late queries, by area", colour: "var(--violated)" }]),
    ];
  }
  const self = chart(title, draw, "A square for each GPU, in their order. The area of a mark is the part of its queries that are late.");
  const choose = scenarios.length > 1 ? choice("Policy and placement", scenarios.map((s) => [s.index, s.label]), (value) => { scenario = scenarios[value]; self.name(scenario.label); list.refill(gpusOf(scenario)); self.draw(); }).node : null;
  const columns = [
    { title: "GPU", word: "cluster.number", cell: (g) => String(g.number), sort: (g) => g.number }, { title: "Type", word: "cluster.gpu", cell: (g) => g.gpu, sort: (g) => g.gpu }, { title: "What runs there", word: "cluster.colocation", cell: (g) => g.colocation ?? "–", sort: (g) => g.colocation ?? "" },
    { title: "Queries", word: "cluster.queries", value: (g) => g.queries }, percentColumn("Late, %", "cluster.late_fraction", (g) => g.late_fraction), { title: "p99 / target", word: "p99_over_qos", value: (g) => g.p99_over_qos, around: (text, g) => marked(boundOfGpu(g), text) },
    percentColumn("Busy, %", "cluster.batch_busy_fraction", (g) => g.batch_busy_fraction), percentColumn("SM use, %", "cluster.sm_utilisation", (g) => g.sm_utilisation), { title: "Batch work, s/s", word: "cluster.batch_work", value: (g) => g.batch_work },
  ];
  const list = table("The GPUs of the map", columns, gpusOf(scenario), { class: "scroller tall" });
  if (choose) self.node.insertBefore(el("div", { class: "controls" }, choose), self.room);
  self.name(scenario.label);
  self.node.append(el("details", { class: "data" }, el("summary", null, "The same as a table"), list));
  return self.node;
}

function colocationsSection() {
  const columns = [
    { title: "Policy", word: "policy", cell: (c) => c.policy, sort: (c) => c.policy }, { title: "Placement", word: "cluster.placement", cell: (c) => c.placement, sort: (c) => c.placement },
    { title: "Co-location", word: "cluster.colocation", cell: (c) => c.colocation, sort: (c) => c.colocation }, { title: "GPUs", word: "cluster.gpus", value: (c) => c.gpus }, { title: "Service", word: "cluster.service", cell: (c) => c.service || "–", sort: (c) => c.service },
    percentColumn("Late, %", "cluster.late_fraction", (c) => c.late_fraction), { title: "p99, ms", word: "cluster.p99_ms", value: (c) => c.p99_ms, around: (text, c, format) => withInterval(`${c.overloaded === "yes" ? ">" : ""}${text}`, [c.p99_low_ms, c.p99_high_ms], format) },
    { title: "p99 / target", word: "p99_over_qos", value: (c) => c.p99_over_qos, around: (text, c) => `${c.overloaded === "yes" ? ">" : ""}${text}${["ttft_ms", "tpot_ms"].includes(c.target) ? ` (${c.target})` : ""}` }, percentColumn("Busy, %", "cluster.batch_busy_fraction", (c) => c.batch_busy_fraction), percentColumn("SM use, %", "cluster.sm_utilisation", (c) => c.sm_utilisation),
  ];
  section("colocations", "Co-locations", table("What runs together on a GPU, a row for each service", columns, page.colocations, { class: "scroller tall" }),
    page.run.settings ? note(page.run.settings) : null);
}

summarySection();
colocationsSection();
document.getElementById("subtitle").textContent =
  `Cluster of ${page.run.gpus} GPUs · balancer: ${page.run.balancer} · ${page.run.duration_s} s with a warm-up of ${page.run.warmup_s} s · ${page.run.reps} replication${page.run.reps === 1 ? "" : "s"} · seed ${page.run.seed}`;
footer(page.version);
document.documentElement.dataset.ready = "yes";
