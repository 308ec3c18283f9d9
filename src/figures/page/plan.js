// The page of a plan: the answer of each policy, the frontier, every point that was tried, what it leans on.
"use strict";

const answers = page.answers.filter((answer) => answer.kernel_scale === 1 && !answer.draw).map((answer, index) => ({ ...answer, index }));
const tried = answers.flatMap((answer) => answer.points.map((point, i) => ({ ...point, policy: answer.policy, index: answer.index, at: known(point.amount) ? point.amount : i })));
const named = tried.some((point) => !known(point.amount)); // of a list of GPUs
const each = page.instances > 1 ? `, each of ${page.instances} instances,` : "";
const what = { "max-rate": `most ${page.unit} of ${page.app}${each}`, gpus: "fewest GPUs", "batch-instances": `most instances of ${page.app}`, gpu: "cheapest GPU" }[page.find] ?? page.find;
const amountText = (amount) => (known(amount) ? show(amount) : amount ?? "none");
const inUnit = (title) => (named ? title : `${title}, ${page.unit}`);
const boundOf = (point) => (point.p99_is_bound ? ">" : "");
const verdictWords = { holds: "keeps the targets", misses: "misses", open: "not sure" };

function causeText(cause) {
  const whose = `${decider(cause)}: `, target = ` of ${show(cause.target_ms, "ms")}`;
  if (known(cause.median_alone_ms)) return `${whose}median job alone ${show(cause.median_alone_ms, "ms")}${target}`;
  return `${whose}p99 ${show(cause.p99_ms, "ms")}${target}${known(cause.alone_p99_ms) ? `, ${show(cause.alone_p99_ms, "ms")} alone` : ""}${cause.delayed_by ? `; delayed by ${cause.delayed_by}` : ""}`;
}

function answerSection() {
  const columns = [
    { title: "Policy", word: "policy", cell: (a) => a.policy }, { title: inUnit("Certain"), word: "plan.holds", term: "Certain", number: true, cell: (a) => amountText(a.holds) }, { title: inUnit("Best guess"), word: "plan.guess", term: "Best guess", number: true, cell: (a) => amountText(a.guess ?? (a.guess_unknown ? "unknown" : null)) },
    { title: inUnit("Misses from"), word: "plan.misses", term: "Misses from", number: true, cell: (a) => amountText(a.misses) },
    { title: "Where nothing holds, because of", word: "plan.cause", prose: true, cell: (a) => (a.cause ? causeText(a.cause) : "–") },
  ];
  section("answer", `The ${what} that keep${page.find === "gpu" ? "s" : ""} every target`, drawn.length ? frontier() : null, table("The answers", columns, answers), noteList());
}

/** Points beyond three times the target stand at its edge. */
const edge = 3;
const isAnswer = (point) => point.amount !== null && answers[point.index].holds === point.amount;
const drawn = tried.filter((point) => known(point.p99_over_qos)).sort((a, b) => isAnswer(b) - isAnswer(a)); // an answer stands where it is
const height = (value) => Math.min(value, edge);

function frontier() {
  const title = "p99 of the service that decides, over its target";
  const batch = drawn.some((point) => known(point.batch_throughput_normalised));
  function draw(width) {
    const of = (index) => drawn.filter((point) => point.index === index).sort((a, b) => a.at - b.at);
    const ranges = drawn.filter((point) => known(point.p99_over_qos_low) && known(point.p99_over_qos_high));
    const across = { label: `${named ? "GPU" : page.unit} →`, grid: true, nice: true, ticks: width < 500 ? 4 : 8, ...(named ? { ticks: [...new Set(drawn.map((point) => point.at))], tickFormat: (v) => cut(tried.find((point) => point.at === v)?.amount ?? "", width / 50) } : { tickFormat: (v) => show(v) }) };
    const frame = { width, height: 380, marginLeft: 48, marginBottom: 44, marginRight: 24,
      x: across, y: { label: "↑ p99 / target", domain: [0, edge * 1.03], grid: true, ticks: 6, tickFormat: (v) => (v === edge ? "≥ 3" : show(v)) } };
    const level = (d) => height(d.p99_over_qos);
    const bare = drawPlot({ ...frame, marks: [Plot.dot(drawn, { x: "at", y: level })] });
    const dots = sideBySide(drawn, bare, (d) => d.at, level, (d) => d.index);
    return [
      drawPlot({
        ...frame, x: { ...across, domain: bare.scale("x").domain, nice: false },
        marks: [
          Plot.ruleY([1], { stroke: "currentColor", strokeDasharray: "5 3" }),
          answers.map((answer) => Plot.line(of(answer.index), { x: "at", y: level, stroke: colourOf(answer.index), strokeDasharray: dashOf(answer.index), strokeWidth: 1.5 })),
          Plot.link(ranges, { x1: "at", x2: "at", y1: (d) => height(d.p99_over_qos_low), y2: (d) => height(d.p99_over_qos_high), stroke: (d) => colourOf(d.index) }),
          Plot.dot(dots, { x: "across", y: level, r: 4, symbol: (d) => symbolOf(d.index), fill: (d) => (d.verdict === "holds" ? colourOf(d.index) : "var(--surface)"), stroke: (d) => colourOf(d.index) }),
          Plot.dot(dots.filter(isAnswer), { x: "across", y: level, r: 9, stroke: "currentColor", strokeWidth: 2 }),
          Plot.tip(dots, Plot.pointer({ x: "across", y: level, title: (d) => `${d.policy}, ${amountText(d.amount)}\n${decider(d)}: p99 / target ${marked(boundOf(d), show(d.p99_over_qos))}\n${verdictWords[d.verdict]}, by ${d.by}` })),
        ],
      }),
      legend(answers.map((answer) => ({ text: answer.policy, symbol: answer.index }))),
      dots.some((dot) => dot.moved) ? note(besideNote(dots)) : null,
    ];
  }
  const lowerBound = drawn.some((point) => point.by === "overload" || point.p99_is_bound) ? " Under overload it grows with the length of the run: a lower bound, wherever it stands." : "";
  return chart(title, draw, `The dashed line is the target. Filled: keeps the targets; hollow: misses, or not sure.${lowerBound} A vertical line is the interval that the verdict goes by, a ring the certain answer${batch ? "; batch work is in the table of points" : ""}.`).node;
}


function pointsSection() {
  const columns = [
    { title: "Policy", word: "policy", cell: (p) => p.policy, sort: (p) => p.policy },
    named ? { title: "GPU", word: "plan.amount", cell: (p) => p.amount, sort: (p) => p.amount } : { title: page.unit, word: "plan.amount", value: (p) => p.amount },
    { title: "Verdict", word: "plan.verdict", cell: (p) => verdictWords[p.verdict] ?? p.verdict, sort: (p) => p.verdict }, { title: "By", word: "plan.by", cell: (p) => p.by ?? "–", sort: (p) => p.by ?? "" },
    { title: "Decided by", word: "plan.service", cell: decider, sort: decider },
    { title: "p99 / target", word: "p99_over_qos", value: (p) => p.p99_over_qos, around: (text, p, format) => withInterval(marked(boundOf(p), text), [p.p99_over_qos_low, p.p99_over_qos_high], format) },
    ...[["Batch work / without services", "batch_throughput_normalised"], ["SM use", "sm_utilisation"], ["$ per hour", "usd_per_h", "plan.usd_per_h"], ["$ per million", "usd_per_million", "plan.usd_per_million"], ["Replications", "replications", "plan.replications"], ["Seconds each", "duration_s", "plan.duration_s"]]
      .filter(([, key]) => tried.some((p) => known(p[key]))).map(([title, key, word = key]) => ({ title, word, value: (p) => p[key] })),
  ];
  section("points", "Every point that was tried", table("Points", columns, tried), tried.filter((p) => p.no_fit).map((p) => note(`${p.policy}, ${amountText(p.amount)}: ${p.no_fit}`)));
}

function basisSection() {
  section("basis", "What this leans on", el("ul", null, page.envelope.map((caveat) => el("li", null, `${caveat.kind}, ${caveat.about}: ${caveat.text}`))),
    page.checks.settings ? note(page.checks.settings) : null,
    note(page.checks.broken ? `BROKEN in a run: ${page.checks.broken}` : `Conservation, Little's law and the utilisation law hold in all ${show(page.checks.runs)} runs.`));
}

answerSection();
pointsSection();
basisSection();
document.getElementById("subtitle").textContent = `Plan: ${what} · ${page.gpu ? `GPU ${page.gpu} · ` : ""}${answers.length} ${answers.length === 1 ? "policy" : "policies"} · confidence ${percent(page.confidence)} · seed ${page.seed}`;
interruption();
footer(page.version);
document.documentElement.dataset.ready = "yes";
