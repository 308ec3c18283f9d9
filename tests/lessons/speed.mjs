// node speed.mjs MODULES CHROMIUM PAGE: the lessons have at most 2 MB gzipped; their first scene is there within 2 s on a processor four
// times slower; 132 SMs with three applications, on both sides, move at 60 frames a second. Both times are taken twice: as processor
// time of the page's main thread, which other programs hardly change, and by the clock, which is let pass (exit code 77) where it is
// missed while other programs take the processor or, where CI is set, on a machine that nobody chose.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [modules, executablePath, path] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const slower = 4; // the processor for the first scene

/** How much longer work takes by the clock than on the processor. */
function crowding() {
  const begin = performance.now();
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < 300000);
  const { user, system } = process.cpuUsage(before);
  return (1000 * (performance.now() - begin)) / (user + system);
}

/**
 * What the main thread of a page did between two of its marks: the processor time in ms of each task, in their order, with the clock
 * at which it began. `action(page)` sets the marks.
 */
async function tasksBetween(browser, page, marks, action) {
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline", "blink.user_timing"] });
  const answer = await action(page);
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  const [from, to] = marks.map((mark) => traceEvents.find((event) => event.name === mark));
  const own = traceEvents.filter(({ name, ph, pid, tid, ts, dur }) => name === "RunTask" && ph === "X" && pid === to.pid && tid === to.tid && ts + dur > from.ts && ts < to.ts);
  if (!own.some(({ tdur }) => tdur > 0)) throw new Error("the trace has no processor times");
  return { answer, tasks: own.map(({ ts, tdur = 0 }) => ({ from: ts / 1000, ms: tdur / 1000 })).sort((a, b) => a.from - b.from) };
}

const sceneMark = () => {
  const seen = new MutationObserver(() => {
    if (!document.querySelector("#waves[data-ready]")) return;
    seen.disconnect();
    performance.mark("first-scene");
    console.log(`first scene ${performance.now()}`);
  });
  seen.observe(document, { subtree: true, childList: true, attributes: true });
};

/** A page that opens the lessons on a processor `slower` times slower; `open` resolves to the clock in ms when the first scene is drawn. */
async function opening(browser, slower) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.addInitScript(sceneMark);
  await (await page.context().newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slower });
  const open = async () => {
    // To ask the page would have it run 300 kB of the asker's own script first.
    const told = page.waitForEvent("console", { predicate: (message) => message.text().startsWith("first scene "), timeout: 60000 });
    await page.goto(pathToFileURL(path).href, { waitUntil: "commit" });
    return Number((await told).text().split(" ").at(-1));
  };
  return { page, open };
}

/** Processor time in ms of the main thread until the first scene is drawn. */
async function firstSceneWork(browser) {
  const { page, open } = await opening(browser, 1);
  const { tasks } = await tasksBetween(browser, page, ["navigationStart", "first-scene"], open);
  await page.close();
  return tasks.reduce((sum, { ms }) => sum + ms, 0);
}

/** The clock in ms when the first scene is drawn; nothing is traced, which takes time of its own. */
async function firstSceneTime(browser) {
  const { page, open } = await opening(browser, slower);
  const time = await open();
  await page.close();
  return time;
}

const quantile = (sorted, part) => sorted[Math.min(Math.floor(part * sorted.length), sorted.length - 1)];

/**
 * While a stage plays: frames a second of its first second, and of the three after it, with the processor time in ms that each of those
 * frames takes of the main thread.
 */
async function frames(browser) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector("html[data-ready]");
  const { answer, tasks } = await tasksBetween(browser, page, ["frames-begin", "frames-end"], () => page.evaluate(async () => {
    const app = (name, blocks, ms) => ({ name, synthetic: { blocks, threads: 256, duration_ms: ms }, arrivals: { process: "closed", start: "at-once" } });
    const run = await simulate({ name: "many", policy: "mps-caps:caps=a=40+b=40+c=40", workload: JSON.stringify({ schema: "cotenant.workload/1", gpu: "h100", duration_s: 0.05, warmup_s: 0, fidelity: "block", apps: [app("a", 1000, 2), app("b", 700, 3), app("c", 500, 1)] }) });
    const stage = new Stage({ seconds: 5 });
    document.querySelector("#main").replaceChildren(stage.node);
    stage.set([run, run], ["A", "B"], [0, 50]);
    stage.start();
    const frame = () => new Promise(requestAnimationFrame);
    const framesOf = async (ms) => {
      const begin = await frame();
      const at = [];
      for (let now = begin; now - begin < ms; at.push(now)) now = await frame();
      return { at, rate: (1000 * at.length) / (at[at.length - 1] - begin) };
    };
    const first = await framesOf(1000);
    performance.mark("frames-begin");
    const { at, rate } = await framesOf(3000);
    performance.mark("frames-end");
    if (!stage.playing || stage.time === 0) throw new Error(`the stage stands at ${stage.time}`);
    return { at, rate, first: first.rate };
  }));
  await page.close();
  const offset = tasks[0].from - answer.at[0]; // both clocks are monotonous
  const each = answer.at.slice(1).map((to, i) => tasks.filter(({ from }) => from - offset >= answer.at[i] && from - offset < to).reduce((sum, { ms }) => sum + ms, 0)).sort((a, b) => a - b);
  return { rate: answer.rate, first: answer.first, median: quantile(each, 0.5), p95: quantile(each, 0.95) };
}

let failures = 0;
/** A time that is missed says nothing where the processor is not free. */
function expect(good, what) {
  console.log(`${good ? "" : "MISSED: "}${what}`);
  failures += !good;
}

const size = gzipSync(readFileSync(path), { level: 9 }).length;
if (size > 2e6) {
  console.log(`FAILED: ${size} bytes gzipped, more than 2 MB`);
  process.exit(1);
}
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const crowds = [crowding()];
const work = await firstSceneWork(browser);
const times = [];
while (times.length < 5 && !times.some((time) => time < 2000)) times.push(Math.round(await firstSceneTime(browser)));
crowds.push(crowding());
const plays = [];
while (plays.length < 3 && !plays.some(({ rate }) => rate > 59)) plays.push(await frames(browser));
crowds.push(crowding());
await browser.close();

const crowded = Math.max(...crowds);
const best = plays.reduce((a, b) => (a.p95 < b.p95 ? a : b));
console.log(`${size} bytes gzipped; work takes ${crowded.toFixed(2)} times its time here`);
expect(slower * work < 2000, `first scene after ${work.toFixed(0)} ms of processor time, ${slower} times as much is ${(slower * work).toFixed(0)} ms`);
expect(best.p95 < 1000 / 60, `a frame takes ${best.median.toFixed(1)} ms of processor time, 95 of 100 at most ${best.p95.toFixed(1)} ms`);
if (failures) process.exit(1);
expect(Math.min(...times) < 2000, `first scene after ${times.join(", ")} ms by the clock at a quarter of the speed`);
expect(plays.some(({ rate }) => rate > 59), `${plays.map(({ rate }) => rate.toFixed(1)).join(", ")} frames a second; ${plays.map(({ first }) => first.toFixed(1)).join(", ")} in the second after the first simulation`);
if (failures && crowded > 1.2) console.log("SKIPPED, other programs take the processor");
else if (failures && process.env.CI) console.log("SKIPPED, this machine is slower");
process.exit(!failures ? 0 : crowded > 1.2 || process.env.CI ? 77 : 1);
