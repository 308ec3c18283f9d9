// Exercises: posed, hinted at and checked by the program (`cotenant exercise`); the page only shows what it says.
"use strict";

const exerciseCommand = (argv, allowed) => told(["exercise", ...argv, "--format", "json"], {}, allowed).then((answer) => JSON.parse(answer.stdout));

/** Words of the glossary in a text become links, each the first time; the longest that fit. */
function linked(text) {
  const words = Object.keys(glossary).sort((a, b) => b.length - a.length).map((term) => term.replaceAll(/[^\w ]/g, "\\$&"));
  const seen = new Set();
  return text.split(new RegExp(`\\b((?:${words.join("|")})(?:s|es)?)\\b`)).map((part, i) => {
    const term = i % 2 ? Object.keys(glossary).find((key) => [key, `${key}s`, `${key}es`].includes(part)) : null;
    if (!term || seen.has(term)) return part;
    seen.add(term);
    return termLink(term, part);
  });
}

function problemText(problem) {
  const given = problem.given.map((one) => [el("dt", null, linked(one.text)), el("dd", null, one.value === undefined ? "" : `${Number(one.value.toPrecision(6))}${one.unit ? ` ${one.unit}` : ""}`)]);
  return [el("h3", null, `${problem.number}. ${problem.title} ${"*".repeat(problem.stars)}`), el("p", null, linked(problem.text)), el("dl", { class: "given" }, given), el("p", null, el("strong", null, linked(problem.question)))];
}

function solutionText(solution) {
  const answer = typeof solution.answer === "number" ? show(solution.answer) : solution.answer;
  return [el("p", null, el("strong", null, `Answer: ${answer}`)), el("ol", null, solution.steps.map((step) => el("li", null, linked(step.text), step.equation ? ` (${step.equation})` : "")))];
}

function exercisesSection() {
  const problem = el("div", { class: "problem" });
  const reply = el("div", { role: "status" });
  const status = el("p", { class: "note" }, "The simulator starts …");
  const node = section("exercises", "Exercises",
    el("p", null, "Problems with numbers that are drawn by a seed: the same exercise and seed are the same problem everywhere, so that a teacher can give each student another. Answers are worked out and checked by the simulator."),
    status, problem);
  let current = null;

  async function open(name, seed) {
    const text = await exerciseCommand([name, "--seed", String(seed)]);
    current = { name, seed };
    const box = input(`Your answer${text.unit ? `, ${text.unit}` : ""}`, { type: "text", autocomplete: "off" }, () => {});
    const check = el("form", { class: "controls", submit: (event) => { event.preventDefault(); answer(box.box.value); } }, box.node, el("button", { class: "main" }, "Check"),
      el("button", { type: "button", click: () => more(["--hint"], (told) => el("p", null, linked(told.hint))) }, "Hint"),
      el("button", { type: "button", click: () => more(["--solution"], (told) => solutionText(told.solution)) }, "Show the solution"));
    reply.replaceChildren();
    problem.replaceChildren(...problemText(text), check, reply);
    node.dataset.ready = `${name} ${seed}`;
  }
  async function more(argv, words) {
    reply.replaceChildren(...[words(await exerciseCommand([current.name, "--seed", String(current.seed), ...argv]))].flat());
  }
  async function answer(text) {
    try {
      const { checked } = await exerciseCommand([current.name, "--seed", String(current.seed), `--answer=${text}`], [0, 1]);
      reply.replaceChildren(el("p", null, el("strong", { class: `verdict ${checked.right ? "met" : "violated"}` }, checked.right ? "✓ Right." : "✗ Not yet."), checked.why ? [" ", linked(checked.why)] : ""));
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      reply.replaceChildren(el("p", null, error.message.split("\n")[0]));
    }
  }
  async function fill() {
    const list = await exerciseCommand([]);
    const address = readAddress();
    const asked = address.id === "exercises" ? address.values : {};
    const name = list.some((one) => one.name === asked.name) ? asked.name : list[1].name;
    const seed = input("Seed", { type: "number", min: 1, max: 999999, value: asked.seed ?? 1 }, () => change());
    const which = choice("Exercise", list.map((one) => [one.name, `${one.number}. ${one.title} ${one.level}`]), () => change(), name);
    const change = () => {
      const number = Math.max(1, Math.floor(Number(seed.box.value)) || 1);
      writeAddress("exercises", { name: which.select.value, seed: number });
      open(which.select.value, number);
    };
    status.replaceWith(el("div", { class: "controls" }, which.node, seed.node));
    await open(name, Math.max(1, Number(seed.box.value) || 1));
  }
  whenNear(node, fill);
}
