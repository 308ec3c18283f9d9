// What the program said: it is asked by command lines and files, and its reports, time lines and blocks become what scenes draw.
"use strict";

// ---- Asking ----

const answers = new Map();

/** Answers that were made with the page, by the program itself, are used as if they had just come. */
for (const { question, answer } of page.prepared ?? []) answers.set(question, Promise.resolve(answer));

/** {code, stdout, stderr, files} of a command line; the same question is asked once. */
function ask(argv, files) {
  const question = JSON.stringify([argv, files]);
  if (!answers.has(question)) answers.set(question, core.run(argv, files));
  return answers.get(question);
}

/** A mistake that the program tells of, in its words. */
class ProgramError extends Error {}

/** What it printed; `allowed`: exit codes that are answers, too. */
async function told(argv, files, allowed = [0]) {
  const answer = await ask(argv, files);
  if (!allowed.includes(answer.code)) throw new ProgramError(answer.stderr.trim() || `cotenant ended with exit code ${answer.code}`);
  return answer;
}

const textOf = (file) => (typeof file === "string" ? file : new TextDecoder().decode(file));

// ---- A run: report, time line, blocks ----

/**
 * A workload under a policy, in block fidelity, with everything that a stage draws. `question`: {name, workload, files, policy,
 * sets: ["key=value"], until?: the last ms whose blocks are wanted}.
 */
async function simulate(question) {
  const { argv, files } = runCommand(question);
  const answer = await told([...argv, "--format", "json", "--quiet", "--timeline", "timeline.json", "--blocks", "blocks.csv", "--output", "results.db"], files);
  const report = JSON.parse(answer.stdout);
  const run = { question, report, store: answer.files["results.db"], gpu: report.config.gpu, apps: report.apps.map((app) => app.name), ...readTimeline(JSON.parse(textOf(answer.files["timeline.json"]))) };
  run.blocks = readBlocks(textOf(answer.files["blocks.csv"]), run);
  run.app = (name) => report.apps.find((app) => app.name === name);
  return run;
}

/** The command line of a run and its files, as somebody would type it. */
function runCommand({ name, workload, files = {}, policy, sets = [] }) {
  const argv = ["run", `${name}.json`, "--policy", policy, ...sets.flatMap((set) => ["--set", set])];
  return { argv, files: { [`${name}.json`]: workload, ...files } };
}

/** `explain` of a run: about its slowest jobs, or the whole log. */
async function explained(run, what) {
  const store = run.store ?? (await again(run));
  return JSON.parse((await told(["explain", "results.db", ...what, "--format", "json"], { "results.db": store })).stdout);
}

/** The store of a run that came with the page, without it. */
async function again(run) {
  const { argv, files } = runCommand(run.question);
  const answer = await core.run([...argv, "--quiet", "--timeline", "timeline.json", "--output", "results.db"], files);
  return (run.store = answer.files["results.db"]);
}

/** Jobs, tasks and curves of a time line in Chrome's format (docs/timeline.md); times in microseconds. */
function readTimeline({ traceEvents }) {
  const gpu = 1;
  const run = { jobs: [], tasks: [], curves: new Map() };
  const processes = new Map(traceEvents.filter((e) => e.ph === "M" && e.name === "process_name").map((e) => [e.pid, e.args.name]));
  for (const e of traceEvents) {
    const a = e.args;
    if (e.ph === "X" && e.pid === gpu)
      run.tasks.push({ app: e.cat, job: a.job, index: a.task, name: e.name, copy: a.bytes !== undefined, blocks: a.grid, bytes: a.bytes, ready: a.ready_us, issued: a.issued_us, from: e.ts, to: e.ts + e.dur });
    else if (e.ph === "X" && processes.get(e.pid) === e.cat)
      run.jobs.push({ app: e.cat, number: a.job, arrival: a.arrival_us, from: e.ts, to: e.ts + e.dur, latency: a.latency_us });
    else if (e.ph === "C") {
      const key = e.pid === gpu ? e.name : `${e.name} ${processes.get(e.pid)}`;
      if (!run.curves.has(key)) run.curves.set(key, []);
      run.curves.get(key).push([e.ts, Object.values(a)[0]]);
    }
  }
  return run;
}

/** The value of a curve from the last of its points on; 0 before the first. */
function curveAt(points, time) {
  const i = lastAt(points ?? [], time, ([at]) => at);
  return i < 0 ? 0 : points[i][1];
}

/** The last item whose time is not later; -1: none. Items are in the order of time. */
function lastAt(items, time, timeOf) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(items[middle]) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Rows of CSV whose texts hold no commas or quotes, as objects. */
function readCsv(text) {
  const [head, ...lines] = text.trim().split("\n");
  const keys = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [keys[i], cell])));
}

/**
 * Blocks on SMs from the rows of `run --blocks`: of each SM what lay on it, each with its slots there and from when to when; and
 * of time slices whose turn it was. A block whose end the run did not see goes on to `Infinity`.
 */
function readBlocks(text, run) {
  const sms = Array.from({ length: run.gpu.sms }, () => ({ lives: [], open: [], taken: [] }));
  const turns = [];
  const until = (run.question.until ?? Infinity) * 1000;
  let slots = 1;
  for (const row of readCsv(text)) {
    const time = Number(row.time_us);
    if (time > until) { // only ends of what has begun
      if (row.change === "begin" || row.first_sm === "") continue;
      row.change = "end";
    }
    if (row.change === "slice_begin") turns.push({ app: row.app, from: time, to: Infinity });
    else if (row.change === "slice_end") turns[turns.length - 1].to = time;
    else for (let i = Number(row.first_sm); i <= Number(row.last_sm); i++) slots = Math.max(slots, change(sms[i], row, time));
  }
  const begun = new Map();
  for (const life of sms.flatMap((sm) => sm.lives)) {
    if (!begun.has(life.kernel)) begun.set(life.kernel, []);
    begun.get(life.kernel).push(life.from);
  }
  for (const times of begun.values()) times.sort((a, b) => a - b);
  for (const sm of sms) {
    let latest = -Infinity;
    sm.reach = sm.lives.map((life) => (latest = Math.max(latest, life.to)));
  }
  return { sms, turns, slots, begun };
}

/** A row on one of its SMs; the number of its highest slot so far. */
function change(sm, row, time) {
  const kernel = `${row.app} ${row.instance} ${row.job} ${row.task}`;
  let free = [];
  if (row.change !== "begin") free = end(sm, kernel, Number(row.blocks), time);
  if (row.change !== "end") {
    const own = row.change === "next" ? free : freeSlots(sm, Number(row.blocks));
    for (const slot of own) {
      sm.taken[slot] = true;
      const life = { app: row.app, kernel, slot, from: time, to: Infinity };
      sm.lives.push(life);
      sm.open.push(life);
    }
  }
  return sm.taken.length;
}

/** The oldest blocks of a kernel end; their slots. */
function end(sm, kernel, blocks, time) {
  const ended = sm.open.filter((life) => life.kernel === kernel).slice(0, blocks);
  for (const life of ended) {
    life.to = time;
    sm.taken[life.slot] = false;
  }
  sm.open = sm.open.filter((life) => !ended.includes(life));
  return ended.map((life) => life.slot);
}

function freeSlots(sm, count) {
  const slots = [];
  for (let slot = 0; slots.length < count; slot++) if (!sm.taken[slot]) slots.push(slot);
  return slots;
}

/** How many blocks of a kernel have begun. */
function begunAt(run, task, time) {
  const times = run.blocks.begun.get(`${task.app} 0 ${task.job} ${task.index}`) ?? [];
  return lastAt(times, time, (at) => at) + 1;
}

/** What lies on an SM at a time. */
function livesAt(sm, time) {
  const lives = [];
  for (let i = lastAt(sm.lives, time, (life) => life.from); i >= 0 && sm.reach[i] > time; i--) if (sm.lives[i].to > time) lives.push(sm.lives[i]);
  return lives;
}

// ---- Sweeps ----

/** Rows of a sweep over one setting: {name, workload, files, policies, key, values, set}. */
async function sweep({ name, workload, files = {}, policies, key, values, set = {} }) {
  const design = { schema: "cotenant.sweep/1", name, workload: `${name}.json`, policies, set, designs: [{ grid: { [key]: values } }] };
  const answer = await told(["sweep", "sweep.json", "--output", "sweep.db", "--quiet", "--format", "csv"], { "sweep.json": JSON.stringify(design), [`${name}.json`]: workload, ...files });
  return readCsv(answer.stdout).map((row) => ({ ...row, value: values[Number(row.point) - 1] }));
}
