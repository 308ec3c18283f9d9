// The page of the lessons as a student uses it: node page.mjs MODULES CHROMIUM PAGE COTENANT SOURCE. A page without a core
// (browser.sh) is answered by the native program.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { lookAt } from "../html/layout.mjs";
import { runNative } from "./native.mjs";

const [modules, executablePath, path, cotenant, source] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(path).href;
const ids = ["waves", "convoy", "caps", "slices", "priority", "bandwidth", "load", "headroom"];
const patience = { timeout: 120000 };

let checks = 0;
let failures = 0;
function expect(truth, what, ...more) {
  checks++;
  if (truth) return;
  failures++;
  console.log(`WRONG: ${what}`, ...more);
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const errors = [];

/** core.run for a page without a core; bytes go to and fro in base64. Of stores, which the page does not read, only a name does. */
const stores = [];
async function answerNative(argv, files) {
  const given = Object.fromEntries(Object.entries(files).map(([name, { text, bytes }]) => [name, text ?? (name.endsWith(".db") ? stores[atob(bytes)] : Buffer.from(bytes, "base64"))]));
  const answer = await runNative(cotenant, source, argv, given);
  const sent = (name, bytes) => (name.endsWith(".db") ? Buffer.from(String(stores.push(bytes) - 1)) : bytes).toString("base64");
  return { ...answer, files: Object.fromEntries(Object.entries(answer.files).map(([name, bytes]) => [name, sent(name, bytes)])) };
}

async function open(hash = "", options = {}) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, reducedMotion: "reduce", ...options });
  page.setDefaultTimeout(patience.timeout);
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) errors.push(`loads ${request.url()}`);
  });
  await page.exposeFunction("askNative", answerNative);
  await page.goto(address + hash, patience);
  await page.waitForSelector("html[data-ready]", patience);
  return page;
}

/** Scrolls to a scene and waits until it was simulated for the n-th time. */
async function scene(page, id, turn = 1) {
  const node = page.locator(`#${id}`);
  await node.evaluate((one) => one.scrollIntoView());
  await page.waitForSelector(`#${id}[data-ready="${turn}"]`, patience);
  return node;
}

/** What the commands that a scene shows print, as reports. */
function native(shell) {
  const folder = mkdtempSync(join(tmpdir(), "lessons-"));
  const script = shell.replaceAll(/^cotenant run /gm, `"${cotenant}" run --quiet --format json `);
  const out = execFileSync("bash", ["-e", "-c", script], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return JSON.parse(`[${out.trim().replaceAll(/^\}\n\{/gm, "},\n{")}]`);
}

const numbersOf = { "p99, ms": (app) => app.latency_ms.p99, "Slowest, ms": (app) => app.latency_ms.max, "Time, ms": (app) => app.latency_ms.max, "Mean, ms": (app) => app.latency_ms.mean, "From arrival to end, ms": (app) => app.latency_ms.max, "Alone, ms": (app) => app.solo_ms, Progress: (app) => app.normalised_progress, "Jobs per second": (app) => app.throughput_per_s, "Late, %": (app) => app.late_fraction * 100 };

/** The table of a scene against the reports of its commands. */
async function compare(node, id) {
  await node.getByText("The same with the program itself").click();
  const reports = native(await node.locator("details pre").last().textContent());
  const heads = await node.locator("table:has(caption:has-text('what each application got')) thead th").allInnerTexts();
  const rows = await node.locator("table:has(caption:has-text('what each application got')) tbody tr").evaluateAll((trs) => trs.map((tr) => [...tr.children].map((cell) => cell.textContent)));
  const apps = reports.flatMap((report) => report.apps);
  expect(reports.length === 2 && rows.length === apps.length, `${id}: two reports and a row for each application`, rows.length);
  let compared = 0;
  rows.forEach((row, i) => heads.forEach((head, column) => {
    const of = numbersOf[head.trim()];
    const want = of?.(apps[i]);
    if (!of || !want) return;
    compared++;
    expect(Math.abs(Number(row[column]) / want - 1) < 6e-4, `${id}: ${head} of ${row[1]} under ${row[0]}`, row[column], want);
  }));
  expect(compared >= 4, `${id}: numbers were compared`, compared);
}

// ---- Every scene: guess, see, change, and the numbers are the program's ----
{
  const page = await open();
  for (const id of ids) {
    const node = await scene(page, id);
    expect(!(await node.getByText("Change it").isVisible()), `${id}: nothing is told before the guess`);
    expect((await node.locator("canvas").first().getAttribute("aria-label")).includes("blocks on"), `${id}: the picture has words`);
    await node.getByRole("button", { name: "Show what happens" }).click();
    await node.locator(".reveal[data-ready]").waitFor(patience);
    expect(/^(You said|Right)/.test(await node.locator(".outcome").innerText()), `${id}: the guess is answered`);
    // A chart draws itself when its size is known, after the numbers are: one that draws nothing fails here.
    await node.locator(".reveal svg path, .reveal svg circle").nth(2).waitFor({ state: "attached", ...patience });
    await compare(node, id);
    const slider = node.locator(".sliders input").first();
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(`#${id}[data-ready="2"]`, patience);
    await node.locator("details pre").last().waitFor({ state: "attached", ...patience });
    await compare(node, id);
    expect((await page.evaluate(() => location.hash)).startsWith(`#${id};`), `${id}: the address says what was changed`);
    await node.locator(".findings li").first().waitFor(patience);
    expect(/It took .* ms/.test(await node.locator(".findings li").first().innerText()), `${id}: the slowest job in a sentence`);
    const next = node.getByRole("button", { name: /^Next decision/ }).last();
    await next.click();
    await node.locator(".decision").last().filter({ hasText: /ms: |decides nothing/ }).waitFor(patience);
  }

  // ---- Keyboard: play, step, drag ----
  const node = await scene(page, "convoy", 2);
  const clock = node.locator(".clock");
  await node.getByRole("slider", { name: "Time" }).focus();
  await page.keyboard.press("Home");
  const before = await clock.innerText();
  await node.getByRole("button", { name: "Step to the next event" }).press("Enter");
  expect((await clock.innerText()) !== before, "a step goes on");
  await node.getByRole("button", { name: "Step back" }).press("Enter");
  expect((await clock.innerText()) === before, "and back");
  await node.getByRole("button", { name: "Play" }).press("Enter");
  await page.waitForTimeout(600);
  expect((await clock.innerText()) !== before, "it plays");
  await node.getByRole("button", { name: "Pause" }).press("Enter");

  // ---- Decisions from where the clock stands ----
  const headroom = await scene(page, "headroom", 2);
  await headroom.getByRole("slider", { name: "Time" }).fill("500");
  const standing = Number.parseFloat(await headroom.locator(".clock").innerText());
  await headroom.getByRole("button", { name: "Next decision of Baymax", exact: true }).click();
  await headroom.locator(".decision").first().filter({ hasText: /^(?!1 of)\d+ of / }).waitFor(patience);
  expect(Number(/at ([\d.]+) ms/.exec(await headroom.locator(".decision").first().innerText())[1]) >= standing, "a step goes on from the clock", standing);

  // ---- Drag an arrival ----
  const load = await scene(page, "load", 2);
  const strip = await load.locator(".strip canvas").boundingBox();
  const at = (ms) => strip.x + 88 + (ms / 80) * (strip.width - 96);
  const shown = await load.getByLabel("Query 6 arrives at").inputValue();
  await page.mouse.move(at(Number(shown)), strip.y + 30);
  await page.mouse.down();
  await page.mouse.move(at(60), strip.y + 30, { steps: 3 });
  await page.mouse.up();
  expect(Math.abs(Number(await load.getByLabel("Query 6 arrives at").inputValue()) - 60) <= 1, "an arrival is dragged", shown);

  // ---- Exercises and a rule ----
  await page.locator("#exercises").scrollIntoViewIfNeeded();
  await page.waitForSelector("#exercises[data-ready]", patience);
  const solution = JSON.parse(execFileSync(cotenant, ["exercise", "waves", "-c", "--format", "json"], { encoding: "utf8" })).solution.answer;
  const exercises = page.locator("#exercises");
  expect((await exercises.getByLabel("Exercise", { exact: true }).locator("option").count()) === JSON.parse(execFileSync(cotenant, ["exercise", "--format", "json"], { encoding: "utf8" })).length, "all exercises");
  for (const [text, word] of [[String(solution), "Right"], [String(solution + 1), "Not yet"], ["nothing", "answer"]]) {
    await exercises.getByLabel("Your answer").fill(text);
    await page.keyboard.press("Enter");
    await exercises.getByRole("status").filter({ hasText: word }).waitFor(patience);
  }
  const sandbox = page.locator("#sandbox");
  await sandbox.scrollIntoViewIfNeeded();
  await sandbox.getByLabel("The policy “rule”").fill("pass: app.service or\n  task.predictd < 2ms\n");
  await sandbox.getByRole("button", { name: "Run both" }).click();
  await sandbox.getByRole("status").filter({ hasText: "line 2, column 3" }).waitFor(patience);

  // ---- For everybody, with all that was opened and drawn: axe, layout, wide and narrow, light and dark ----
  await lookAt(page, axe, "lessons", expect);
  await page.close();
}

// ---- The address brings a scene back ----
{
  const page = await open("#convoy;blocks=480;delay=2;guess=3");
  const node = await scene(page, "convoy");
  await node.locator(".reveal[data-ready]").waitFor(patience);
  expect((await node.getByLabel("Blocks of the long kernel").inputValue()) === "480", "the slider is as sent");
  expect((await node.locator(".outcome").innerText()).includes("3 ms"), "and the guess");
  await page.close();
}

// ---- Tab goes through all that can be used, one after the other and out again, and shows where it is ----
{
  const page = await open();
  for (const id of await page.evaluate(() => scenes.map((one) => one.id))) await scene(page, id); // what they say may have links
  await page.locator("#sandbox").scrollIntoViewIfNeeded();
  await page.locator("#sandbox").getByLabel("Policy A").waitFor(patience);
  await page.evaluate(() => {
    document.addEventListener("focusin", ({ target }) => {
      const { outlineStyle, boxShadow } = getComputedStyle(target);
      if (outlineStyle === "none" && boxShadow === "none") walk.unmarked.push(target.outerHTML.slice(0, 120));
      if (walk.last && !(walk.last.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING)) walk.back.push(target.outerHTML.slice(0, 120));
      walk.reached.add((walk.last = target));
    });
  });
  let presses;
  const tabThrough = async () => {
    await page.evaluate(() => {
      scrollTo(0, 0);
      window.walk = { reached: new Set(), unmarked: [], back: [], last: null };
    });
    presses = 0;
    do await page.keyboard.press("Tab");
    while (++presses < 3000 && (await page.evaluate(() => document.activeElement !== document.body)));
    return page.evaluate(() => ({
      unmarked: walk.unmarked, back: walk.back, reached: walk.reached.size,
      missed: [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
        .filter((node) => (node.tabIndex >= 0 || node.matches("button, input, select, textarea")) && !node.disabled && node.checkVisibility({ visibilityProperty: true }) && !walk.reached.has(node)).map((node) => node.outerHTML.slice(0, 120)),
    }));
  };
  let walked = await tabThrough();
  if (walked.missed.length) walked = await tabThrough(); // a scene on a busy machine may say what it says behind the walk
  const { unmarked, back, missed, reached } = walked;
  expect(presses < 3000 && reached > 100, "Tab comes to the end of the page", presses, reached);
  expect(missed.length === 0, "Tab misses nothing", missed.slice(0, 5), missed.length);
  expect(back.length === 0, "Tab never goes back", back.slice(0, 5));
  expect(unmarked.length === 0, "what has the focus shows it", unmarked.slice(0, 5));
  await page.close();
}

// ---- So does the sandbox, rule and all ----
{
  const text = "first: app.service; 5 = 5 %\npass: queries == 0\n";
  const page = await open();
  const sandbox = page.locator("#sandbox");
  await sandbox.getByLabel("The policy “rule”").fill(text);
  const sent = await open(await page.evaluate(() => location.hash));
  expect((await sent.locator("#sandbox").getByLabel("The policy “rule”").inputValue()) === text, "the rule is as sent", sent.url());
  await page.close();
  const there = sent.locator("#sandbox");
  await there.scrollIntoViewIfNeeded();
  await there.getByLabel("Policy A").waitFor(patience);
  await there.getByLabel("The policy “rule”").fill("pass: app.service or (queries == 0 and issued.batch < 3)");
  await there.getByLabel("Your guess").fill("20");
  await there.getByRole("button", { name: "Run both" }).click();
  await there.locator(".steps").nth(1).waitFor(patience);
  const shown = await there.locator(".outcome").innerText();
  const p99 = await there.locator("tbody tr", { hasText: /^rulevit/ }).locator("td").nth(1).innerText();
  expect(Math.abs(Number(/^You said 20 ms\. It is ([\d.]+) ms\.$/.exec(shown)?.[1]) - Number(p99)) < 0.06, "the guess is answered by the p99 of policy B", shown, p99);
  const queries = await there.locator("figure details tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const under = (side) => queries.filter(([, policy]) => policy.startsWith(side)).map(([job, , at]) => `${job} ${at}`).sort().join();
  expect(under("A") !== "" && under("A") === under("B"), "both policies have the same queries at the same times");
  await there.getByRole("button", { name: "Next decision of rule" }).click();
  await there.locator(".decision", { hasText: /^1 of \d+, at / }).waitFor(patience);
  await there.getByRole("button", { name: "Rule against all that ship" }).click();
  await sent.waitForFunction(() => [...document.querySelectorAll("#sandbox tbody tr")].filter((row) => !row.closest("figure")).length >= 40, null, patience); // some take long
  expect((await there.locator("tbody tr").first().innerText()).startsWith("rule"), "the rule stands first");
  await sent.close();
}

// ---- What a scene says is so at the ends of its sliders, too ----
for (const [hash, ...sentences] of [
  ["#bandwidth;demand=10", "the second for 10 %.", "which the memory reaches: neither slows the other"],
  ["#waves;blocks=120", "120 blocks need 1 wave, where"],
  ["#caps;batch=100", "batch may hold all SMs, and a query waits behind its kernels"],
  ["#priority;blocks=320", "runs in 1 wave of 8 ms"],
]) {
  const page = await open(hash);
  const node = await scene(page, hash.slice(1).split(";")[0]);
  await node.locator(".reveal[data-ready]").waitFor(patience);
  const said = (await node.innerText()).replaceAll("\u00a0", " ");
  for (const words of sentences) expect(said.includes(words), `${hash}: ${words}`, await node.locator(".posed, .reveal > p").allInnerTexts());
  await page.close();
}

// ---- Motion: it plays when it comes into view, and does not for who wants none ----
{
  const moving = await open("", { reducedMotion: "no-preference" });
  const node = await scene(moving, "waves");
  await moving.waitForTimeout(700);
  const first = await node.locator(".clock").innerText();
  expect(first !== "0.00 ms", "alive when it comes into view", first);
  await moving.close();
  const resting = await open();
  const there = await scene(resting, "waves");
  const once = await there.locator(".clock").innerText();
  await resting.waitForTimeout(500);
  expect((await there.locator(".clock").innerText()) === once, "still where no motion is wanted");
  await resting.close();
}

expect(!errors.length, "no errors, and nothing is loaded", errors.slice(0, 5));
await browser.close();
console.log(`${checks} checks, ${failures} wrong`);
process.exit(failures ? 1 : 0);
