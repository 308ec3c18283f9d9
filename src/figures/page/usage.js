// What applications hold and move over time, of one run.
"use strict";

const usageTitles = { sm_share: "SMs held", quota: "Quotas: part of the SMs that may be held", dram_bandwidth: "Memory bandwidth", pcie_h2d: "PCIe to the device", pcie_d2h: "PCIe to the host" };

/** Panels of one run: curves of the applications with the same name share one, and both directions of PCIe. */
function usagePanels(detail) {
  const groups = new Map();
  for (const curve of detail.usage) {
    const key = curve.app >= 0 ? curve.name : `device ${curve.name.split("_")[0]}`;
    groups.set(key, [...(groups.get(key) ?? []), curve]);
  }
  const inOrder = [...groups.values()].map((curves) => curves.sort((a, b) => a.app - b.app)); // of the workload, as in every other chart
  return inOrder.map((curves) => ({
    curves,
    title: curves.length > 1 && curves[0].app < 0 ? "PCIe" : `${usageTitles[curves[0].name] ?? curves[0].name}${curves[0].app < 0 ? ", all together" : ""}`,
    unit: curves[0].unit,
    stacked: curves[0].name === "sm_share",
  }));
}

function usageSection() {
  const sampled = details.filter((detail) => detail.usage.length);
  const node = section("time", "Use over time");
  if (!sampled.length) {
    node.append(note("No curves over time are stored: ", command("cotenant run … -o R.db"), " keeps them, comparisons do not."));
    return;
  }
  let detail = sampled[0];
  const nameOf = (curve) => (curve.app >= 0 ? detail.apps[curve.app] : usageTitles[curve.name] ?? curve.name);
  if (sampled.some((of) => of.lacks_demand))
    node.append(note("The memory's curve is that of known demand alone, the copies' included: what kernels of unknown demand draw is in no curve."));
  const seriesOf = (curve, i) => (curve.app >= 0 ? appIndex(detail.apps[curve.app]) : i);
  const points = (curve, i) => curve.values.map((value, bin) => ({ time: ((bin + 0.5) * detail.duration_s) / curve.values.length, value, name: nameOf(curve), series: seriesOf(curve, i) }));
  function panel(of, width, range) {
    const rows = of.curves.flatMap(points);
    const dashed = (curve, i) => dashOf(seriesOf(curve, i));
    const marks = of.stacked
      ? [Plot.areaY(rows, Plot.stackY({ x: "time", y: "value", z: "name", curve: "step", fill: (d) => areaFill(d.series), fillOpacity: 0.75, stroke: "var(--surface)", clip: true }))]
      : of.curves.map((curve, i) => Plot.line(points(curve, i), { x: "time", y: "value", stroke: colourOf(seriesOf(curve, i)), strokeWidth: 1.8, strokeDasharray: dashed(curve, i), curve: "step", clip: true }));
    return [
      el("p", { class: "panel" }, `${of.title}, ${of.unit}`),
      drawPlot({
        width, height: 200, marginLeft: 48, marginBottom: 42,
        x: { domain: range, label: "time, s →", grid: true }, y: { label: null, grid: true, ...(of.unit === "%" ? { domain: [0, 100] } : { zero: true, nice: true }) },
        marks: [marks, Plot.ruleY([0]), Plot.tip(rows.filter((d) => d.time >= range[0] && d.time <= range[1]), Plot.pointerX(of.stacked ? Plot.stackY({ x: "time", y: "value", z: "name", title: (d) => `${d.name}\n${show(d.value, of.unit)} at ${show(d.time, "s")}` }) : { x: "time", y: "value", title: (d) => `${d.name}\n${show(d.value, of.unit)} at ${show(d.time, "s")}` }))],
      }, true),
      legend(of.curves.map((curve, i) => ({ text: nameOf(curve), colour: of.stacked ? areaFill(seriesOf(curve, i)) : colourOf(seriesOf(curve, i)), dash: of.stacked ? null : dashed(curve, i) === "none" ? "40 0" : dashed(curve, i) }))),
    ];
  }
  const self = zoomChart("SMs, quotas and bandwidth over time", [0, detail.duration_s], (width, range) => usagePanels(detail).flatMap((of) => panel(of, width, range)),
    { description: "Means over a three-hundredth of the run. Before a curve's first sample it is 0." });
  const mean = (curve) => curve.values.reduce((sum, value) => sum + value, 0) / curve.values.length;
  const columns = [
    { title: "Curve", word: "page.curve", cell: (curve) => `${usageTitles[curve.name] ?? curve.name}${curve.app >= 0 ? `, ${detail.apps[curve.app]}` : ""}` },
    { title: "Mean", word: "page.curve_mean", number: true, cell: (curve) => show(mean(curve), curve.unit) }, { title: "Most in a bin", word: "page.curve_most", number: true, cell: (curve) => show(Math.max(...curve.values), curve.unit) },
  ];
  const list = table("Use over time: means and maxima", columns, detail.usage);
  self.node.append(asTable(list));
  if (sampled.length > 1)
    node.append(el("div", { class: "controls" }, choice("Run", sampled.map((d) => [d.index, d.label]), (value) => { detail = details[value]; list.refill(detail.usage); self.name(labelOfDetail(detail)); self.whole([0, detail.duration_s]); }).node));
  self.name(labelOfDetail(detail));
  node.append(self.node);
}
