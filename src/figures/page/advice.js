// The page of an advice: the answer, the trade-off of all candidates, the best of each way, every candidate.
"use strict";

const ways = [...new Set(page.candidates.map((candidate) => candidate.way))];
const tried = page.candidates.map((candidate) => ({
  ...candidate,
  index: ways.indexOf(candidate.way),
  where: `${candidate.gpus} × ${candidate.gpu}`,
  best: candidate.policy === page.best?.policy && (candidate.set ?? "") === page.best?.set && candidate.gpu === page.best?.gpu && candidate.gpus === page.best?.gpus,
}));
const rank = (candidate) => (candidate.best ? 0 : { holds: 1, open: 2, misses: 3 }[candidate.verdict] ?? 4);
tried.sort((a, b) => rank(a) - rank(b) || b.round - a.round || (b.batch_work ?? 0) - (a.batch_work ?? 0));
const priced = tried.some((candidate) => known(candidate.usd_per_million));
const several = new Set(tried.map((candidate) => candidate.where)).size > 1;
const wordsOf = { holds: "keeps the targets", misses: "misses", open: "not sure", "no fit": "cannot run" };
const nameOf = (candidate) => (candidate.setting ? `${candidate.way}: ${candidate.setting}` : candidate.way);

function answerSection() {
  const best = page.best;
  const unknown = page.demand_unknown > 0
    ? note(`What kernels ask of the memory is unknown for ${show(Math.round(100 * page.demand_unknown), "%")} of the time on the GPU, and counts as nothing: neighbours may cost more than is shown here, and a part of the SMs less.`)
    : null;
  section("answer", "What to switch on",
    el("p", { class: "lead" }, `${best.sure ? "" : "Nothing keeps the targets for sure; what comes nearest: "}${best.gpus} × ${best.gpu}, ${nameOf(best)}`),
    el("p", null, `p99 at ${show(best.p99_over_qos)} of the target${!tried.some((candidate) => candidate.batch_work > 0) ? "" : `, batch work: ${show(best.batch_work)} of what one batch application does alone`}${known(best.usd_per_million) ? `, ${show(best.usd_per_million)} $ per million requests` : ""}.`),
    unknown,
    el("pre", { tabindex: "0" }, best.switch_on.join("\n")),
    page.notes.length ? [el("h3", null, "Why not the others"), noteList()] : null);
}

/** Points beyond three times the target stand at its edge. */
const edge = 3;
const drawn = tried.filter((candidate) => known(candidate.p99_over_qos) && known(candidate.batch_work));
const ofWay = (index) => drawn.filter((candidate) => candidate.index === index).length;
drawn.sort((a, b) => ofWay(b.index) - ofWay(a.index)); // what is rare is drawn over what is common
const across = (candidate) => Math.min(candidate.p99_over_qos, edge);
/** The axis ends behind the last point, and behind the target. */
const end = 1.03 * Math.max(1, ...drawn.map(across));

function tradeoff() {
  const title = "Batch work against the p99 of the service that decides";
  const most = Math.max(...drawn.map((candidate) => candidate.batch_work), 0.1);
  function draw(width) {
    return [
      drawPlot({
        width, height: 400, marginLeft: 48, marginBottom: 44, marginRight: 16,
        x: { label: "p99 / target →", domain: [0, end], grid: true, ticks: width < 500 ? 4 : 7, tickFormat: (v) => (v === edge ? "≥ 3" : show(v)) },
        y: { label: "↑ batch work, s/s", domain: [0, most * 1.1], grid: true },
        marks: [
          Plot.ruleX([1], { stroke: "currentColor", strokeDasharray: "5 3" }),
          Plot.dot(drawn, { x: across, y: "batch_work", r: 4, symbol: (d) => symbolOf(d.index), stroke: (d) => colourOf(d.index), strokeWidth: 1.6 }),
          Plot.dot(drawn.filter((d) => d.best), { x: across, y: "batch_work", r: 10, stroke: "currentColor", strokeWidth: 2 }),
          Plot.tip(drawn, Plot.pointer({ x: across, y: "batch_work", title: (d) => `${several ? `${d.where}\n` : ""}${nameOf(d)}\np99 / target ${show(d.p99_over_qos)}\nbatch work ${show(d.batch_work)}\n${wordsOf[d.verdict]}` })),
        ],
      }),
      legend(ways.map((way, i) => ({ text: way, symbol: i }))),
    ];
  }
  return chart(title, draw, "Left of the dashed line the target is kept; higher is more batch work. The ring is the answer. Candidates that were left out early stand where their short run put them.").node;
}

const columns = [
  { title: "Way", word: "advise.way", cell: (c) => c.way, sort: (c) => c.way },
  ...(several ? [{ title: "GPUs", word: "advise.gpus", cell: (c) => c.where, sort: (c) => c.where }] : []),
  { title: "Setting", word: "advise.setting", prose: true, cell: (c) => c.setting || "–", sort: (c) => c.setting },
  { title: "Verdict", word: "advise.verdict", cell: (c) => wordsOf[c.verdict] ?? c.verdict, sort: (c) => c.verdict },
  { title: "p99 / target", word: "p99_over_qos", value: (c) => c.p99_over_qos, around: (text, c, format) => withInterval(text, [c.p99_over_qos_low, c.p99_over_qos_high], format) },
  { title: "Decided by", word: "advise.service", cell: decider, sort: decider },
  { title: "Batch work, s/s", word: "advise.batch_work", value: (c) => c.batch_work, sort: (c) => (known(c.batch_work) ? -c.batch_work : Infinity) },
  ...(priced ? [{ title: "$ per million", word: "advise.usd_per_million", value: (c) => c.usd_per_million }] : []),
  { title: "Round", word: "advise.round", number: true, cell: (c) => show(c.round), sort: (c) => -c.round },
  { title: "Replications", word: "advise.replications", number: true, cell: (c) => show(c.replications), sort: (c) => -c.replications },
];

function candidatesSection() {
  let way = "";
  const all = table("All candidates", columns, tried, { id: "candidates" });
  const choose = choice("Way", [["", "all"], ...ways.map((name) => [name, name])], (value) => {
    way = value;
    all.refill(tried.filter((candidate) => !way || candidate.way === way));
  });
  section("tradeoff", "The trade-off of all candidates", tradeoff(), choose.node, all,
    note("Every candidate ran on the same arrivals. Those that were among the better quarter of their way went on to longer rounds; what a short round shows is a guess. A click on a heading sorts."));
}

function basisSection() {
  section("basis", "What this leans on",
    el("ul", null, page.envelope.map((caveat) => el("li", null, `${caveat.kind}, ${caveat.about}: ${caveat.text}`)),
      page.apart.map((apart) => el("li", null, `a GPU each: ${apart.gpus} × ${apart.gpu} would have a p99 at ${show(apart.p99_over_qos)} of the target and batch work of ${show(apart.batch_work)} s/s, from one run of each application alone`))),
    note(page.checks.broken ? `BROKEN in a run: ${page.checks.broken}` : `Conservation, Little's law and the utilisation law hold in all ${show(page.checks.runs)} runs.`));
}

answerSection();
candidatesSection();
basisSection();
document.getElementById("subtitle").textContent =
  `${tried.length} candidates on ${[...new Set(tried.map((candidate) => candidate.where))].join(", ")} · confidence ${percent(page.confidence)} · seed ${page.seed}`;
interruption();
footer(page.version);
document.documentElement.dataset.ready = "yes";
