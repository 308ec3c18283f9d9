// The life of a scene: what it says, its two runs on a stage, the guess, the curve, what can be changed, and how to have the same
// natively. A scene itself is data and small functions, in scenes/.
//
//   id, title             in the address, and above it
//   before, after(is)     paragraphs; [[term]] links to the glossary. `is`: {runs, rows, values}
//   workload(values)      the workload file as an object; files(values): those that it names, by path (none)
//   sliders               {key, label, unit, least, most, step, value, set}: `set(value)` is a setting, "apps.x.qos_ms=4"
//   sides                 two of {label(values), policy(values)}
//   window(values)        [from, to] in ms that the stage shows; until(values): how far, in ms, before the guess
//   guess                 {question(values) or a text, unit, least, most, step, start, truth(is), verdict(is, guess)}
//   curve                 {title, x, y, key, values, of(value, values), policies(values), app?, number(row), at(values), line?, log?, workload?,
//                         mark?}: a sweep, drawn after the guess; `workload(whole)`: what is another than in the scene; `at`: where on it
//                         the scene is; `mark` false: the guess is not about this number
//   drag                  {app, keys}: sliders that are the arrivals of an application, but the first, to be dragged on the axis
//   numbers               columns {title, unit, app, of(app, run)} of the table below
"use strict";

const scenes = [];

/** A V100 on which nothing but SMs and memory is contended for: what happens below saturation is another lesson. */
const lessonGpu = { base: "v100", contention_k0: 0, contention_k: 0, launch_delay_us: 0 };

/** A number and the sign behind it stay on one line. */
const tight = (text) => text.replaceAll(/(\d) %/g, "$1\u00a0%");

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Text in which [[term]] and [[term|words]] link to the glossary, and `code` is code. */
function prose(text) {
  return tight(text).split(/(\[\[[^\]]+\]\]|`[^`]+`)/).map((part) => {
    if (part.startsWith("`")) return command(part.slice(1, -1));
    if (!part.startsWith("[[")) return part;
    const [term, words] = part.slice(2, -2).split("|");
    return termLink(term, words ?? term);
  });
}

const paragraphs = (texts) => texts.map((text) => el("p", null, prose(text)));

// ---- The address: #scene;key=value;... ----

function readAddress() {
  const [id, ...pairs] = location.hash.slice(1).split(";");
  return { id, values: Object.fromEntries(pairs.map((pair) => pair.split("=").map(decodeURIComponent))) };
}

function writeAddress(id, values) {
  history.replaceState(null, "", `#${[id, ...Object.entries(values).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join(";")}`);
}

// ---- Asking the program ----

function question(scene, values, side) {
  const sets = scene.sliders.filter((slider) => slider.set).map((slider) => slider.set(values[slider.key], values));
  return { name: scene.id, workload: JSON.stringify(scene.workload(values)), files: scene.files?.(values) ?? {}, policy: scene.sides[side].policy(values), sets, until: scene.window(values)[1] };
}

/** The rows of a scene's curve. */
function curveRows(scene, values) {
  const { curve } = scene;
  const axis = scene.sliders.find((slider) => slider.key === curve.key);
  const others = scene.sliders.filter((slider) => slider.set && slider !== axis).map((slider) => slider.set(values[slider.key], values).split(/=(.*)/s));
  const number = (text) => (/^[-\d.[{]/.test(text) ? JSON.parse(text) : text);
  const set = Object.fromEntries(others.map(([key, value]) => [key, number(value)]));
  const [key] = curve.of(0, values).split("=");
  const workload = curve.workload ? { ...scene.workload(values), ...curve.workload(scene.workload(values)) } : scene.workload(values);
  return sweep({
    name: scene.id, workload: JSON.stringify(workload), files: scene.files?.(values), policies: curve.policies(values),
    key, values: curve.values.map((value) => number(curve.of(value, values).slice(key.length + 1))), set,
  }).then((rows) => rows.filter((row) => !curve.app || row.app === curve.app).map((row) => ({ ...row, x: curve.values[Number(row.point) - 1] })));
}

// ---- Parts of a scene ----

function rangeInput(label, unit, { least, most, step, value }, change) {
  const shown = el("output", null);
  const text = () => `${show(Number(box.value))}${unit ? ` ${unit}` : ""}`;
  const { node, box } = input(label, { type: "range", min: least, max: most, step, value }, () => {
    shown.textContent = text();
    box.setAttribute("aria-valuetext", text());
    change(Number(box.value));
  });
  node.append(shown);
  node.classList.add("range");
  shown.textContent = text();
  box.setAttribute("aria-valuetext", text());
  return { node, box };
}

/** The curve with the guess on it; `guess` may be null. */
function curveChart(scene, state) {
  const { curve } = scene;
  const policies = curve.policies(state.values); // of both sides, in their order, or one whose setting is the axis
  const self = chart(curve.title, (width) => {
    const points = state.rows.map((row) => ({ x: row.x, y: curve.number(row), policy: row.policy })).filter((point) => known(point.y));
    const own = policies.map((policy) => points.filter((p) => p.policy === policy || policies.length === 1));
    const marks = own.map((those, i) => Plot.line(those, { x: "x", y: "y", stroke: colourOf(i + 2), strokeDasharray: dashOf(i), strokeWidth: 2, curve: curve.line ?? "linear" }));
    const dots = own.map((those, i) => Plot.dot(those, { x: "x", y: "y", fill: colourOf(i + 2), symbol: symbolOf(i), r: 3 }));
    const at = curve.at(state.values);
    const middle = (curve.values[0] + curve.values[curve.values.length - 1]) / 2;
    const guess = state.guess === null || curve.mark === false ? [] : [Plot.dot([0], { x: at, y: state.guess, r: 7, stroke: "var(--violated)", strokeWidth: 2.5, symbol: "times" }), Plot.text([0], { x: at, y: state.guess, text: () => "your guess", dx: at > middle ? -10 : 10, textAnchor: at > middle ? "end" : "start", fill: "currentColor" })];
    return drawPlot({ width, height: 270, marginLeft: 50, marginBottom: 44, x: { label: curve.x, labelOffset: 40, nice: true }, y: curve.log ? { label: `${curve.y} (log scale)`, grid: true, type: "log", nice: true } : { label: curve.y, grid: true, zero: true }, marks: [Plot.ruleX([at], { stroke: "var(--focus)" }), ...marks, ...dots, ...guess] });
  }, curve.note);
  const columns = [{ title: curve.x, number: true, cell: (row) => show(row.x) }, { title: "Policy", cell: (row) => row.policy }, { title: curve.y, number: true, cell: (row) => show(curve.number(row)) }];
  const numbers = table(curve.title, columns, state.rows);
  if (policies.length > 1) self.node.append(legend(policies.map((_, i) => ({ colour: colourOf(i + 2), dash: dashOf(i), text: scene.labels[i] }))));
  self.node.append(asTable(numbers));
  return self.node;
}

function numbersTable(scene, runs) {
  const rows = runs.flatMap((run, side) => run.report.apps.map((app) => ({ side: scene.labels[side], app, run })));
  const columns = [{ title: "Under", cell: (row) => row.side }, { title: "Application", cell: (row) => row.app.name }, ...scene.numbers.map((number) => ({ title: number.title, number: true, cell: (row) => show(number.of(row.app, row.run)) }))];
  return table(`${scene.title}: what each application got`, columns, rows);
}

/** The slowest job of the application that the scene asks about, in the words of `explain`. */
async function blameOf(scene, run, label) {
  const told = await explained(run, ["--worst", "1", ...(scene.about ? ["--app", scene.about] : [])]);
  return slowestItem(told.apps.flatMap((app) => app.slowest)[0], label);
}

const slowestItem = (job, label) => (job ? el("li", null, el("strong", null, `${label}: `), tight(`${job.job}. ${job.sentences.slice(0, 2).join(" ")}`)) : null);

/** Decisions one after the other, each with the policy's reason; a step moves the stage, and goes on from where that was moved to. */
function decisionSteps(run, label, stage) {
  const status = el("p", { class: "decision", "aria-live": "polite" }, "");
  let log = null;
  let at = -1;
  let left; // where the last step left the stage; a stage without a clock (sandbox.js) has no time then and later
  const beside = (by) => {
    if (stage.time === left) return at + by;
    if (stage.time >= stage.to) return by > 0 ? 0 : log.length - 1;
    const next = log.findIndex((d) => d.time_ms * 1000 > stage.time);
    return (next < 0 ? log.length : next) - (by < 0);
  };
  const move = async (by) => {
    log ??= (await explained(run, ["--decisions"])).filter((d) => d.time_ms * 1000 >= stage.from && d.time_ms * 1000 <= stage.to);
    if (!log.length) {
      status.textContent = `${label} decides nothing while applications run: kernels pass as they come.`;
      return;
    }
    at = Math.min(Math.max(beside(by), 0), log.length - 1);
    const d = log[at];
    status.textContent = `${at + 1} of ${log.length}, at ${d.time_ms.toFixed(3)} ms: ${d.words}`;
    stage.show(d.time_ms * 1000);
    left = stage.time;
  };
  const button = (text, by) => el("button", { type: "button", "aria-label": `${text} decision of ${label}`, click: () => move(by) }, text);
  return el("div", { class: "steps" }, el("strong", null, label), " ", button("Previous", -1), " ", button("Next", 1), status);
}

/** What to type for the same runs, files and all. */
function shellText(scene, values) {
  const quote = (text) => (/^[\w./:,=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const commands = scene.sides.map((_, side) => {
    const { argv } = runCommand(question(scene, values, side));
    return ["cotenant", ...argv].map(quote).join(" ");
  });
  const { files } = runCommand(question(scene, values, 0));
  const here = Object.entries(files).map(([path, text]) => `cat > ${path} <<'END'\n${text.trimEnd()}\nEND`);
  return [...here, ...commands].join("\n");
}

function shellBlock(scene, state) {
  const text = el("pre", { tabindex: "0" }, shellText(scene, state.values));
  const copy = el("button", { type: "button", click: async () => { await navigator.clipboard.writeText(text.textContent); copy.textContent = "Copied"; } }, "Copy");
  return el("details", null, el("summary", null, "The same with the program itself"), copy, text);
}

/** What comes out of both runs: numbers, the slowest job, decisions, and the commands. */
async function showResults(scene, state, stage, results) {
  const { runs } = state;
  const sentences = el("ul", { class: "findings" });
  results.replaceChildren(
    el("h3", null, "In numbers"), numbersTable(scene, runs),
    el("h3", null, "Why was the slowest one slow?"), sentences,
    el("h3", null, "What did the policy decide?"), ...runs.map((run, side) => decisionSteps(run, scene.labels[side], stage)),
    shellBlock(scene, state));
  const told = await Promise.all(runs.map((run, side) => blameOf(scene, run, scene.labels[side])));
  if (runs === state.runs) sentences.replaceChildren(...told.filter(Boolean));
}

/** Does something once, when the reader is about to see it: the program is asked for nothing before. */
function whenNear(node, action) {
  const near = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    near.disconnect();
    action();
  }, { rootMargin: "300px" });
  near.observe(node);
}

// ---- A scene ----

function addScene(scene) {
  scenes.push(scene);
}

function sceneSection(scene) {
  const state = { values: Object.fromEntries(scene.sliders.map((slider) => [slider.key, slider.value])), guess: null, open: false, runs: null, rows: null };
  const address = readAddress();
  if (address.id === scene.id) takeAddress(scene, state, address.values);
  const stage = new Stage({ seconds: scene.seconds, drag: scene.drag && dragged(scene, state, () => inputs) });
  const status = el("p", { role: "status", class: "note" }, "The simulator starts …");
  const results = el("div", null);
  const reveal = el("div", { class: "reveal", "aria-live": "polite" });
  const change = el("div", { class: "controls sliders" });
  const guess = guessBar(scene, state, () => {
    state.open = true;
    writeState(scene, state);
    showAll();
    if (!still.matches) stage.start();
  });
  let timer = 0;
  const inputs = scene.sliders.map((slider) => rangeInput(slider.label, slider.unit, { ...slider, value: state.values[slider.key] }, (value) => {
    state.values[slider.key] = value;
    writeState(scene, state);
    clearTimeout(timer);
    timer = setTimeout(update, 150);
  }));
  change.append(...inputs.map(({ node }) => node));
  const more = el("div", { hidden: !state.open }, el("h3", null, "Change it"), change, results);
  const node = section(scene.id, scene.title, paragraphs(scene.before), stage.node, status, guess, reveal, more);
  let asked = 0;

  async function update() {
    const turn = ++asked;
    status.textContent = "Simulating …";
    try {
      const runs = await Promise.all(scene.sides.map((_, side) => simulate(question(scene, state.values, side))));
      if (turn !== asked) return;
      state.runs = runs;
      scene.labels = scene.sides.map((side) => side.label(state.values));
      status.textContent = "";
      pose(scene, state, guess.querySelector(".posed"));
      if (state.open) await showAll();
      else stage.set(runs, scene.labels, scene.window(state.values), scene.until(state.values));
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      status.textContent = error.message;
    }
    node.dataset.ready = String(turn);
  }
  /** After the guess: the whole stage, what comes out, and what can be changed. */
  async function showAll() {
    if (!state.runs) return;
    more.hidden = false;
    stage.set(state.runs, scene.labels, scene.window(state.values));
    const turn = asked;
    showResults(scene, state, stage, results);
    state.rows = await curveRows(scene, state.values);
    if (turn !== asked) return;
    const is = { runs: state.runs, rows: state.rows, values: state.values };
    reveal.replaceChildren(...verdict(scene, is, state.guess), ...paragraphs(scene.after(is)), curveChart(scene, state));
    reveal.dataset.ready = "yes";
  }
  if (scene === scenes[0]) update(); // its answers came with the page
  else whenNear(node, update);
}

/** Arrivals as a stage drags them, none before the guess; `inputs()`: those of the sliders, in their order. */
function dragged(scene, state, inputs) {
  return {
    near: (ms, reach) => (state.open ? scene.drag.keys.find((key) => Math.abs(state.values[key] - ms) < reach) : undefined),
    move(key, ms) {
      const { box } = inputs()[scene.sliders.findIndex((slider) => slider.key === key)];
      box.value = ms;
      box.dispatchEvent(new Event("input"));
    },
  };
}

function takeAddress(scene, state, values) {
  for (const slider of scene.sliders) {
    const value = Number(values[slider.key]);
    if (slider.key in values && value >= slider.least && value <= slider.most) state.values[slider.key] = value;
  }
  if ("guess" in values && Number.isFinite(Number(values.guess))) state.guess = Number(values.guess);
  state.open = Object.keys(values).length > 0;
}

function writeState(scene, state) {
  writeAddress(scene.id, state.guess === null ? state.values : { ...state.values, guess: state.guess });
}

/** Asks what is now to be guessed. */
function pose({ guess }, state, node) {
  node.replaceChildren(...prose(typeof guess.question === "string" ? guess.question : guess.question(state.values)));
}

function guessBar(scene, state, done) {
  const { guess } = scene;
  const start = { ...guess, value: state.guess ?? guess.start };
  const range = rangeInput("Your guess", guess.unit, start, () => {});
  const button = (text, of, main) => el("button", { type: "button", class: main ? "main" : null, click: () => { state.guess = of(); done(); } }, text);
  const posed = el("p", { class: "posed" });
  pose(scene, state, posed);
  return el("div", { class: "guess" }, el("h3", null, "Guess first"), posed,
    el("div", { class: "controls" }, range.node, button("Show what happens", () => Number(range.box.value), true), button("Show it without a guess", () => null)));
}

function verdict(scene, is, guess) {
  const { truth, unit } = scene.guess;
  const value = truth(is);
  if (guess === null) return [el("p", { class: "outcome" }, `It is ${show(value, unit)}.`)];
  const near = Math.abs(guess - value) <= 0.05 * Math.max(Math.abs(value), scene.guess.step);
  return [el("p", { class: "outcome" }, el("strong", null, near ? "Right: " : `You said ${show(guess, unit)}. `), `It is ${show(value, unit)}.`)];
}
