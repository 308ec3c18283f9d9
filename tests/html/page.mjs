// Looks at the pages that browser.sh has made: node page.mjs MODULES CHROMIUM FOLDER. Prints what is wrong; exit code 1.
import { createRequire } from "node:module";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { allLooks, layoutFaults, looks } from "./layout.mjs";

const [modules, executablePath, folder] = process.argv.slice(2);
const require = createRequire(resolve(modules, "here.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const file = (name) => readFileSync(join(folder, name), "utf8");
let failures = 0;
let checks = 0;

function expect(good, what, is) {
  checks++;
  if (good) return;
  failures++;
  console.log(`FAILED: ${what}${is === undefined ? "" : `: ${JSON.stringify(is)}`}`);
}

const root = process.getuid?.() === 0; // its sandbox does not run as root
const browser = await chromium.launch({ executablePath, args: ["--disable-gpu", ...(root ? ["--no-sandbox"] : [])] });

const plain = { viewport: { width: 1280, height: 900 }, colorScheme: "light" };

/** Opens a page; whatever it complains of, or loads, is a failure. */
async function open(name, options = {}) {
  const context = await browser.newContext({ ...plain, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(90000);
  page.on("console", (message) => expect(false, `${name}: the console`, message.text()));
  page.on("pageerror", (error) => expect(false, `${name}: an error`, error.stack));
  page.on("request", (request) => expect(/^(file|data):/.test(request.url()), `${name}: a request`, request.url()));
  await page.exposeFunction("hit", () => expect(false, `${name}: a name was run as a program`));
  await page.goto(`file://${join(folder, name)}`);
  await page.waitForSelector("html[data-ready]");
  await page.waitForFunction(() => [...document.querySelectorAll(".room")].every((room) => room.childElementCount > 0));
  return page;
}

// ---- What holds of every page ----

/** No mark of a chart hides another. */
async function apart(page, charts) {
  const hidden = await page.locator(charts).evaluateAll((all) => all.flatMap((chart) => {
    const places = [...chart.querySelectorAll("[data-mark=dot] > *")].map((mark) => mark.getBoundingClientRect()).map((box) => [box.x + box.width / 2, box.y + box.height / 2]);
    return places.filter(([x, y], i) => places.slice(i + 1).some((other) => Math.hypot(other[0] - x, other[1] - y) < 4));
  }));
  expect(!hidden.length, `${charts}: no mark hides another`, hidden.slice(0, 3));
}

/** What an axis says at the places of marks in the first chart below `within`: {x, y, hollow, ring} of each, by the axis' own labels. */
async function readMarks(page, within) {
  return page.locator(within).first().evaluate((chart) => {
    const middle = (node) => { const box = node.getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; };
    const scale = (axis) => {
      const ticks = [...chart.querySelectorAll(`[data-mark="${axis}-axis tick label"] text`)].map((text) => [middle(text)[axis], parseFloat(text.textContent)]).filter(([, value]) => !Number.isNaN(value));
      if (!ticks.length) return () => NaN; // an axis of names
      const [[from, low], [to, high]] = [ticks[0], ticks.at(-1)];
      return (at) => low + ((at - from) / (to - from)) * (high - low);
    };
    const [across, down] = [scale("x"), scale("y")];
    const surface = getComputedStyle(document.body).backgroundColor;
    return [...chart.querySelectorAll("[data-mark=dot] > *")].map((mark) => {
      const [at, fill] = [middle(mark), getComputedStyle(mark).fill];
      return { x: across(at.x), y: down(at.y), hollow: fill === surface, ring: fill === "none" };
    });
  });
}

async function structure(page, name) {
  const wrong = await page.evaluate(() => {
    const list = [];
    const all = (selector) => [...document.querySelectorAll(selector)];
    for (const tag of ["header", "nav[aria-label]", "main", "footer", "h1"]) if (all(`body ${tag}`).length !== 1) list.push(`not one ${tag}`);
    let level = 0;
    for (const heading of all("h1, h2, h3, h4")) {
      if (Number(heading.tagName[1]) > level + 1) list.push(`${heading.textContent} skips a level`);
      level = Number(heading.tagName[1]);
    }
    for (const one of all("table")) if (!one.querySelector("caption")?.textContent || !one.querySelector("thead th[scope=col]")) list.push("a table without caption or headings");
    for (const one of all("thead th")) {
      const term = document.getElementById(one.querySelector("a.mark")?.getAttribute("href").slice(1) ?? "");
      if (!term?.closest("#words") || !term.textContent || !(term.nextElementSibling?.tagName === "DD" && term.nextElementSibling.textContent.length > 5)) list.push(`no word of the glossary for the heading “${one.textContent}”`);
    }
    for (const one of all("input, select")) if (!one.labels.length) list.push(`${one.id} has no label`);
    for (const one of all("figure.chart")) {
      if (!one.getAttribute("aria-labelledby") || !one.querySelector("svg[role=img][aria-label]")) list.push(`a figure without a name: ${one.textContent.slice(0, 40)}`);
      if (!one.querySelector("details.data table") && !one.parentElement.querySelector(".scroller table")) list.push(`no table beside ${one.textContent.slice(0, 40)}`);
    }
    const ids = all("[id]").map((one) => one.id);
    if (new Set(ids).size !== ids.length) list.push("an id is used twice");
    for (const link of all("nav a")) if (!document.querySelector(link.getAttribute("href"))) list.push(`${link.textContent} leads nowhere`);
    if (document.documentElement.scrollWidth > innerWidth) list.push(`wider than the window: ${document.documentElement.scrollWidth}`);
    if (/\b(undefined|null|NaN|\[object)\b/.test(document.body.innerText)) list.push(`odd text: ${/.{30}\b(undefined|null|NaN|\[object)\b.{30}/s.exec(document.body.innerText)}`);
    return list;
  });
  expect(!wrong.length, `${name}: structure`, wrong);
}

/** An independent judge of accessibility: WCAG 2.1 A and AA, contrast included. */
async function accessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  expect(!violations.length, `${name}: accessibility`, violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 160)} (${v.nodes.length})`));
}

/** Marks of the charts against the background: at least 3 to 1 (WCAG 2.1, 1.4.11). */
async function contrast(page, name) {
  const weak = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const rgb = (colour) => {
      const box = document.createElement("canvas").getContext("2d");
      box.fillStyle = colour;
      box.fillRect(0, 0, 1, 1);
      return [...box.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (colour) => {
      const [r, g, b] = rgb(colour).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const names = ["met", "violated", "open", "running", ...Array.from({ length: 8 }, (_, i) => `series-${i}`), ...(JSON.parse(document.getElementById("data").textContent).causes ?? []).map((cause) => `cause-${cause.name}`)];
    const ground = light(style.getPropertyValue("--surface"));
    const ratio = (colour) => (Math.max(light(colour), ground) + 0.05) / (Math.min(light(colour), ground) + 0.05);
    return names.map((one) => [one, ratio(style.getPropertyValue(`--${one}`))]).filter(([, value]) => !(value >= 3));
  });
  expect(!weak.length, `${name}: contrast of marks`, weak);
}

/** Nothing lies on or outside of another thing or is faint, wide and narrow, light and dark, with all that can be opened; then the page is as before. */
async function layout(page, name) {
  const opened = await page.evaluateHandle(() => [...document.querySelectorAll("details:not([open])")].map((one) => Object.assign(one, { open: true })));
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const faults = await page.evaluate(layoutFaults);
    expect(!faults.length, `${name}: layout at ${width}, ${colorScheme}`, faults.slice(0, 5));
  }
  await opened.evaluate((details) => details.forEach((one) => { one.open = false; }));
  await page.setViewportSize(plain.viewport);
  await page.emulateMedia({ colorScheme: plain.colorScheme });
}

// ---- Numbers are those of the report; sorting; the choice of policies ----

{
  const page = await open("two.html");

  // The first stop of the keyboard skips the navigation; what has the focus shows it.
  await page.keyboard.press("Tab");
  expect((await page.evaluate(() => document.activeElement.className)) === "skip", "the first stop skips to the results");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.closest("#main") !== null && getComputedStyle(document.activeElement).outlineStyle !== "none"), "then the results, with a visible focus");

  await structure(page, "two.html");
  await layout(page, "two.html");
  await accessible(page, "two.html");
  await contrast(page, "light");
  const reports = JSON.parse(file("two.json"));
  for (const report of reports) {
    const row = page.locator("#summary > .scroller table").first().locator("tbody tr", { has: page.locator(`th:text-is("${report.policy}")`) });
    const app = report.apps.find((one) => one.role === "service");
    const shown = parseFloat((await row.locator("td").nth(0).innerText()).replace(">", ""));
    expect(Math.abs(shown / app.p99_over_qos - 1) < 5e-3, `p99 / target of ${report.policy}`, [shown, app.p99_over_qos]);
    expect(Math.abs(parseFloat(await row.locator("td").nth(2).innerText()) / report.system.stp - 1) < 5e-3, `STP of ${report.policy}`);
  }
  const sort = page.locator("#summary > .scroller table").nth(1).locator("thead button", { hasText: "p99, ms" });
  const column = async () => (await page.locator("#summary > .scroller table").nth(1).locator("tbody tr td:nth-child(8)").allInnerTexts()).map((text) => parseFloat(text.replace(">", "")));
  await sort.click();
  expect((await column()).every((v, i, all) => !i || v >= all[i - 1]), "sorted upwards", await column());
  await sort.press("Enter");
  expect((await column()).every((v, i, all) => !i || v <= all[i - 1]), "sorted downwards with the keyboard");
  expect((await page.locator("#summary th[aria-sort=descending]").count()) === 1, "says how it is sorted");
  const marks = () => page.locator("#summary figure").first().locator("[data-mark=dot] path, [data-mark=dot] circle").count();
  expect((await marks()) === 2, "a mark for each policy", await marks());
  await page.locator("#summary fieldset").getByLabel("mps", { exact: true }).uncheck();
  expect((await marks()) === 1, "a policy can be left out", await marks());

  // ---- Zoom: buttons, keys, wheel, drag ----
  const figure = page.locator("#jobs figure");
  const room = figure.locator(".room");
  const span = () => room.evaluate((node) => { const [low, high] = node.querySelector("svg[data-zoom]").xScale.domain; return high - low; });
  const near = (a, b) => Math.abs(a / b - 1) < 0.01;
  const whole = await span();
  await figure.getByRole("button", { name: "Zoom in" }).click();
  expect(near(await span(), whole / 2), "the button halves the range", [await span(), whole]);
  await room.focus();
  await page.keyboard.press("+");
  expect(near(await span(), whole / 4), "the key + halves it again");
  await page.keyboard.press("0");
  expect(near(await span(), whole), "the key 0 shows all");
  let box = await room.locator("svg[data-zoom]").boundingBox();
  await page.keyboard.down("Control");
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await page.waitForTimeout(100);
  expect((await span()) < 0.8 * whole, "Ctrl and wheel zoom");
  await figure.getByRole("button", { name: "Show all" }).click();
  await room.scrollIntoViewIfNeeded();
  box = await room.locator("svg[data-zoom]").boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 });
  await page.mouse.up();
  expect((await span()) < 0.2 * whole, "a drag zooms", [await span(), whole]);
  await figure.getByRole("button", { name: "Show all" }).click();

  // ---- Jobs: two runs side by side; sentences are those of explain ----
  expect((await figure.locator("svg[role=img]").first().innerHTML()).includes("B: baymax"), "two runs on one axis");
  const told = JSON.parse(file("explain.json"));
  const job = (Array.isArray(told) ? told[0] : told).jobs?.[0] ?? told.apps?.[0]?.slowest?.[0] ?? Object.values(told).flat().find((one) => one?.sentences);
  await page.locator("#jobs table").getByRole("button", { name: job.job ?? job.name, exact: true }).last().press("Enter");
  const about = page.locator("#jobs .about");
  expect((await about.innerText()).includes(job.sentences[0]), "explain's sentence", job.sentences[0]);
  expect(await about.locator("h3").evaluate((node) => node === document.activeElement), "the focus goes to what was asked for");
  await structure(page, "two.html with a job");
  const sums = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).details.flatMap((d) => d.jobs.map((j) => j.parts_us.reduce((a, b) => a + b, 0) - j.latency_us)));
  expect(sums.length >= 20 && sums.every((difference) => Math.abs(difference) < 0.02), "parts add up to the latency", Math.max(...sums.map(Math.abs)));
  await page.locator("#jobs").getByLabel("B: the same jobs as A").check();
  const jobs = await page.locator("#jobs table").last().locator("tbody th").allInnerTexts();
  expect(jobs.length === 20 && jobs.slice(0, 10).join() === jobs.slice(10).join(), "the same jobs under both", jobs);

  // ---- Use over time ----
  const names = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).details[0].apps);
  const keys = (await page.locator("#time .legend").evaluateAll((all) => all.map((one) => [...one.children].map((entry) => entry.textContent.trim())))).filter((key) => key.length === names.length);
  expect(keys.length >= 3 && keys.every((key) => key.join() === names.join()), "every panel has the applications in the workload's order", keys);

  // ---- The log: filters, search ----
  await about.getByRole("button", { name: "Decisions while it was there" }).click();
  expect((await page.locator("#log").getByLabel("From, ms").inputValue()) !== "", "the time of the job is the filter");
  await page.locator("#log").getByLabel("From, ms").fill("");
  await page.locator("#log").getByLabel("To, ms").fill("");
  await page.locator("#log").getByLabel("Policy", { exact: true }).selectOption({ label: "baymax" });
  await page.locator("#log").getByLabel("Decision", { exact: true }).selectOption("hold");
  const status = () => page.locator("#log [role=status]").innerText();
  expect((await status()).includes(`of ${file("holds.txt").trim()} decisions`), "as many holds as the store has", [await status(), file("holds.txt")]);
  expect((await page.locator("#log tbody tr td:nth-child(4)").allInnerTexts()).every((text) => text === "hold"), "holds alone");
  const decisions = new Map(JSON.parse(file("decisions.json")).map((one) => [String(one.number), one.words]));
  const said = await page.locator("#log tbody tr").evaluateAll((rows) => rows.map((row) => [row.children[0].textContent, row.children[4].textContent]));
  expect(said.length === 50 && said.every(([number, words]) => decisions.get(number) === words), "decisions are told as explain tells them", said[0]);
  await page.locator("#log").getByLabel("Search", { exact: true }).fill("QWEN headroom");
  const found = await page.locator("#log tbody tr").allInnerTexts();
  expect(found.length > 0 && found.every((text) => text.includes("qwen") && text.includes("headroom")), "search by words", found[0]);
  await page.locator("#log").getByLabel("Search", { exact: true }).fill("");
  await page.locator("#log").getByRole("button", { name: "later" }).click();
  expect((await status()).startsWith("51 to"), "the next ones", await status());
  await page.locator("#log").getByLabel("Search", { exact: true }).fill("no such word");
  expect((await status()) === "No decision matches.", "nothing found is said", await status());

  // ---- Print ----
  await page.emulateMedia({ media: "print" });
  expect(!(await page.locator("nav").isVisible()) && !(await page.locator(".zoom").first().isVisible()), "no controls on paper");
  const pdf = await page.pdf({ format: "A4" });
  expect(pdf.length > 20000 && pdf.subarray(0, 5).toString() === "%PDF-", "prints", pdf.length);
  await page.context().close();
}

// ---- Dark and narrow ----

{
  const page = await open("both.html", { colorScheme: "dark", viewport: { width: 480, height: 800 } });
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((v) => v < 60)), "dark where that is preferred");
  await structure(page, "narrow and dark");
  if (allLooks) await accessible(page, "narrow and dark"); // light it is, and dark text is no fainter (layout)
  await contrast(page, "dark");
  await page.context().close();
}

// ---- What a store lacks is said; filters of the comparison ----

{
  const page = await open("bare.html");
  await structure(page, "bare.html");
  await layout(page, "bare.html");
  const text = await page.locator("main").innerText();
  for (const part of ["blame of the tail was not recorded", "No tasks are stored"]) expect(text.includes(part), `says “${part}”`);
  await page.context().close();
  const eight = await open("eight.html");
  await structure(eight, "eight.html");
  await layout(eight, "eight.html");
  await eight.setViewportSize({ width: 1400, height: 900 });
  expect(!(await eight.locator("#basis .scroller").evaluateAll((all) => all.some((one) => one.scrollWidth > one.clientWidth))), "inputs and checks fit 1,400 px");
  await eight.setViewportSize(plain.viewport);
  expect((await eight.locator("#log").innerText()).includes("Stored without their decisions"), "says that decisions are not stored");
  expect((await eight.locator("#summary > .scroller table").first().locator("tbody tr").count()) === 8, "eight policies");
  await eight.locator("#comparison").getByLabel("Against", { exact: true }).selectOption("baymax");
  await eight.locator("#comparison").getByLabel("Measure", { exact: true }).selectOption("stp");
  const rows = await eight.locator("#comparison tbody tr").allInnerTexts();
  expect(rows.length > 0 && rows.every((row) => /\tbaymax\tSTP\t/.test(row)), "the comparison can be filtered", rows[0]);
  await eight.locator("#comparison").getByLabel("Measure", { exact: true }).selectOption("");
  const list = eight.locator("#comparison .scroller");
  expect(await list.evaluate((node) => node.scrollHeight > node.clientHeight && /to top|0deg/.test(getComputedStyle(node).backgroundImage)), "a table that goes on below has a shadow there");
  const digits = (await eight.locator("#comparison tbody tr").evaluateAll((all) => all.map((row) => [...row.children].slice(4, 7).map((cell) => cell.innerText).join(" "))))
    .map((text) => new Set([...text.matchAll(/(?<!<)\b\d+(?:\.(\d+))?/g)].map((number) => number[1]?.length ?? 0)));
  expect(digits.length > 20 && digits.every((some) => some.size === 1), "a row of the comparison has one number of decimals", digits.findIndex((some) => some.size !== 1));
  await eight.locator("#comparison").getByLabel("Measure", { exact: true }).selectOption("late_fraction");
  const late = await eight.locator("#comparison tbody tr").evaluateAll((all) => all.map((row) => [row.children[0].textContent, row.children[2].textContent, parseFloat(row.children[4].textContent)]));
  const differences = await eight.evaluate(() => JSON.parse(document.getElementById("data").textContent).comparisons[0].differences);
  for (const [policy, measure, value] of late) {
    const want = 100 * differences.find((d) => d.measure === "late_fraction" && d.policy_a === "baymax" && d.policy_b === policy).mean_b;
    expect(measure === "Late, %" && Math.abs(value - want) < 0.06, `late jobs of ${policy} in per cent`, [measure, value, want]);
  }
  expect(!/_|e\+/.test(await eight.locator("#basis > .scroller").first().innerText()), "inputs and checks in words and whole numbers");
  expect(!/policy_[ab]|more_reps/.test(await eight.locator("#words").innerText()), "the glossary has no keys");
  await eight.context().close();
  const evil = await open("evil.html");
  await structure(evil, "evil.html");
  await layout(evil, "evil.html");
  expect((await evil.title()).includes("<b>&amp;</title>"), "markup in a name is text", await evil.title());
  expect((await evil.locator("main").innerText()).includes("</script><script>hit()</script>"), "markup in an application's name is text");
  await evil.context().close();
}

// ---- Servers ----

{
  const page = await open("chat.html");
  await structure(page, "chat.html");
  await layout(page, "chat.html");
  await accessible(page, "chat.html");
  const tables = page.locator("#servers table");
  expect((await tables.count()) === 2, "batches and tokens", await tables.count());
  const cell = async (at, column) => parseFloat((await tables.nth(at).locator("tbody tr").first().locator("th, td").nth(column).innerText()).replace(/[ \u202f]/g, ""));
  const [app] = [].concat(JSON.parse(file("chat.json")))[0].apps;
  for (const [at, column, want] of [[0, 4, app.server.batches], [0, 5, app.server.batch_mean], [1, 2, app.tokens.per_s], [1, 3, app.tokens.first_ms_p50], [1, 11, app.tokens.longest_ms_p99]])
    expect(Math.abs((await cell(at, column)) / want - 1) < 5e-3, `column ${column} of table ${at}`, [await cell(at, column), want]);
  await page.context().close();
}

// ---- A sweep: all points first, then one of them ----

{
  const page = await open("sweep.html");
  await structure(page, "sweep.html");
  await layout(page, "sweep.html");
  await accessible(page, "sweep.html");
  expect((await page.locator("main section").first().getAttribute("id")) === "sweep", "the sweep stands first");
  expect((await page.locator("#log").innerText()).includes("Stored without their decisions: priority"), "decisions that are not stored were made nevertheless");
  expect((await page.locator("#sweep .panels > div").count()) === 2, "a panel for each GPU");
  expect((await page.locator("h1").innerText()) === "load" && (await page.title()).startsWith("load"), "the sweep's own title", await page.title());
  expect((await page.locator("#subtitle").innerText()).includes("Sweep of 6 points of mix"), "and its workload", await page.locator("#subtitle").innerText());
  expect((await page.locator("#subtitle").innerText()).includes("GPU v100, a100"), "the GPUs of all points", await page.locator("#subtitle").innerText());
  expect((await page.locator("#sweep [data-mark=dot] > *").count()) === 24, "a mark for each point and policy", await page.locator("#sweep [data-mark=dot] > *").count());
  await apart(page, "#sweep .panels > div");
  const lines = file("sweep.csv").trim().split("\n").map((line) => line.split(","));
  const column = (name) => lines[0].indexOf(name);
  await page.locator("#sweep details.data summary").click();
  const cells = async (row) => (await page.locator("#sweep tbody tr").nth(row).locator("th, td").allInnerTexts()).map((text) => parseFloat(text.replace(">", "")));
  for (const point of [1, 6]) {
    const want = lines.filter((line) => line[0] === String(point) && line[column("app")] === "queries").map((line) => Number(line[column("p99_over_qos")]));
    const is = (await cells(point - 1)).slice(2, 6);
    expect(want.every((value, i) => Math.abs(is[i] / value - 1) < 1e-3), `the numbers of point ${point} are those of the sweep`, [want, is]);
  }
  const random = await open("random.html");
  expect((await random.locator("#sweep .legend line").count()) === 0 && (await random.locator("#sweep .legend svg").count()) === 4, "what is not joined has marks in its legend");
  await random.context().close();
  // One interval between points that have none.
  writeFileSync(join(folder, "lonely.html"), file("sweep.html").replace('"p99_over_qos_ci95":[null,null]', '"p99_over_qos_ci95":[0.2,1.4]'));
  const lonely = await open("lonely.html");
  const pieces = lonely.locator("#sweep [data-mark=link] > *");
  expect((await pieces.count()) === 1 && (await pieces.first().boundingBox()).height > 20, "an interval without neighbours is drawn", await pieces.count());
  expect((await lonely.locator("#sweep figure").innerText()).includes("Bands are 95 % intervals"), "and named");
  await lonely.context().close();
  await page.getByLabel("What follows is of the point").selectOption("6");
  await page.waitForURL("**point=6");
  await page.waitForSelector("html[data-ready]");
  expect((await page.locator("#summary h2").innerText()).includes("rate per s 40"), "the chosen point's page", await page.locator("#summary h2").innerText());
  const shown = parseFloat((await page.locator("#summary > .scroller table").first().locator("tbody td").first().innerText()).replace(">", ""));
  expect(Math.abs(shown / Number(lines.find((line) => line[0] === "6" && line[column("app")] === "queries")[column("p99_over_qos")]) - 1) < 5e-3, "with its own numbers", shown);
  await page.context().close();
}

// ---- An advice ----

for (const options of allLooks ? [{}, { colorScheme: "dark", viewport: { width: 390, height: 800 } }] : [{}]) {
  const page = await open("advice.html", options);
  await structure(page, "advice.html");
  await layout(page, "advice.html");
  await accessible(page, "advice.html");
  await contrast(page, "advice.html");
  expect((await page.locator("#answer").innerText()).includes("MPS, priorities"), "the answer stands first");
  expect((await page.locator("#answer .findings li").count()) > 2, "why not the others");
  expect(/batch work: [\d.]+ of what one batch application does alone/.test(await page.locator("#answer").innerText()) && (await page.locator("#candidates th").allInnerTexts()).some((text) => text.startsWith("Batch work, s/s")), "batch work has a unit");
  await page.setViewportSize({ width: 390, height: 900 });
  expect(await page.locator("#answer pre").evaluate((pre) => pre.scrollWidth <= pre.clientWidth), "commands are not cut at 390 px");
  await page.setViewportSize(options.viewport ?? plain.viewport);
  const rows = page.locator("#candidates tbody tr");
  const all = await rows.count();
  expect(all > 100, "all candidates", String(all));
  for (const place of [4, 6]) {
    const decimals = (await rows.locator(`td:nth-child(${place})`).allInnerTexts()).map((text) => /^\d+\.(\d+)/.exec(text)?.[1].length).filter((length) => length !== undefined);
    expect(decimals.length > 100 && new Set(decimals).size === 1, "as many decimals in all of a column", [...new Set(decimals)]);
  }
  await page.getByLabel("Way", { exact: true }).selectOption("MIG");
  expect((await rows.count()) > 0 && (await rows.count()) < all, "only MIG", String(await rows.count()));
  await page.locator("#candidates").getByRole("button", { name: "Batch work" }).click();
  const work = (await rows.locator("td:nth-child(6)").allInnerTexts()).map(Number);
  expect(work.every((value, i) => i === 0 || value <= work[i - 1]), "sorted by batch work", String(work.slice(0, 5)));
  await page.context().close();
}

// ---- A plan and a cluster ----

{
  const page = await open("plan.html");
  await structure(page, "plan.html");
  await layout(page, "plan.html");
  await accessible(page, "plan.html");
  const plan = JSON.parse(file("plan.json"));
  expect((await page.locator("#points tbody tr").count()) === plan.answers.reduce((sum, answer) => sum + answer.points.length, 0), "every point of a plan");
  const sure = plan.answers.filter((answer) => answer.holds !== null);
  expect(sure.length > 0, "a certain answer, for the test to say something");
  for (const answer of sure) {
    const row = page.locator("#answer tbody tr", { has: page.locator(`th:text-is("${answer.policy}")`) });
    expect(Math.abs(parseFloat(await row.locator("td").first().innerText()) / answer.holds - 1) < 1e-3, `the certain answer of ${answer.policy}`, answer.holds);
  }
  expect((await page.locator("#answer th").allInnerTexts()).some((text) => text.startsWith("Certain, jobs/s")), "answers have a unit");
  await page.setViewportSize({ width: 390, height: 900 });
  await page.waitForTimeout(1000);
  const marks = await readMarks(page, "#answer figure");
  const most = Math.max(...plan.answers.flatMap((answer) => answer.points.map((point) => point.amount)));
  const rings = marks.filter((mark) => mark.ring).map((mark) => mark.x);
  expect(rings.length === sure.length && sure.every(({ holds }) => rings.some((x) => Math.abs(x - holds) < most / 150)), "a ring is where the answer is, also at 390 px", [rings, sure.map(({ holds }) => holds)]);
  const drawn = plan.answers.flatMap((answer) => answer.points).filter((point) => point.p99_over_qos !== null);
  expect(marks.filter((mark) => mark.hollow).length === drawn.filter((point) => point.verdict !== "holds").length, "what is not certain to keep its target is hollow", marks.filter((mark) => mark.hollow).length);
  await page.context().close();
  const hasty = await open("open.html");
  const { notes } = JSON.parse(file("open.json"));
  expect(notes.length > 1 && (await hasty.locator("#answer .findings li").allInnerTexts()).join("\n") === notes.join("\n"), "what the text says below the answers", notes);
  await hasty.context().close();
  const gpus = await open("gpus.html");
  expect((await readMarks(gpus, "#answer figure")).filter((mark) => mark.ring).length === 1, "a ring around the GPU that suffices");
  expect((await gpus.locator('#answer [data-mark="x-axis tick label"] text').allTextContents()).join() === "v100,a100", "a tick for each GPU");
  await gpus.context().close();
  const map = await open("cluster.html");
  await structure(map, "cluster.html");
  await layout(map, "cluster.html");
  await accessible(map, "cluster.html");
  const cluster = JSON.parse(file("cluster.out.json"));
  const late = (placement) => cluster.gpus.filter((gpu) => gpu.placement === placement && gpu.late_fraction > 0).length;
  expect(late("random") > 0, "late queries, for the test to say something");
  for (const [value, placement] of [["0", "round-robin"], ["1", "random"]]) {
    await map.getByLabel("Policy and placement").selectOption(value);
    expect((await map.locator("#summary [data-mark=bar] rect").count()) === 6, "a field for each GPU");
    expect((await map.locator("#summary [data-mark=dot] > *").count()) === late(placement), `a mark on each late GPU under ${placement}`);
  }
  expect((await map.title()).includes("</script><b>six"), "markup in a cluster's name is text");
  await map.context().close();
}

// ---- What a page says of bounds, of several places, of draws, and of nobody's p ----

const cellsOf = (page, within) => page.locator(`${within} >> tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

{
  const page = await open("twelve.html");
  const untested = await page.evaluate(() => page.comparisons.flatMap((one) => one.differences).filter((d) => d.policy_a === "mps" && pOf(d) === null).length);
  const dashes = (await cellsOf(page, "#comparison")).filter((row) => row[7] === "–").length;
  expect(untested > 0 && dashes === untested, "what was not tested has no p", [untested, dashes]);
  expect(await page.evaluate(() => marked("<", "<0.0001") === "<0.0001" && marked(">", "1.2") === ">1.2" && marked("<", "–") === "–"), "a mark stands once, and at numbers alone");
  const wrong = await page.evaluate(() => page.curves.flatMap((curve) => {
    const { latency_ms: report } = appOf(runs[curve.run], curve.app);
    return ["p50", "p90", "p95", "p99"].filter((key) => Math.abs(curve.percentiles[key] / report[key] - 1) > 1e-5).map((key) => [curve.app, key, curve.percentiles[key], report[key]]);
  }));
  expect(!wrong.length, "percentiles below the curves are those of the report", wrong);
  await page.context().close();

  const places = await open("places.html");
  expect((await places.locator("#subtitle").innerText()).includes("3 policies in 5 runs"), "policies are not runs", await places.locator("#subtitle").innerText());
  expect(!(await places.locator("#summary .findings").innerText()).includes("Not known under"), "a run without targets lacks no jobs");
  const tradeoff = '#summary figure:has-text("Throughput against late jobs")';
  expect((await places.locator(tradeoff).innerText()).includes("no other of the same workload, GPU and settings: "), "a front for each place");
  const front = await places.evaluate(() => runs.filter((run) => run.on_front).map((run) => run.gpu));
  expect(new Set(front).size === 2, "each GPU has policies that none beats there", front);
  await layout(places, "places.html");
  await places.context().close();

  const over = await open("over.html");
  expect((await cellsOf(over, "#summary > .scroller >> nth=0")).every((row) => row[1].startsWith(">") && row.some((cell) => /^<[\d.]+$/.test(cell))), "bounds of the summary are marked");
  expect((await cellsOf(over, tradeoff)).every((row) => row[2].startsWith("<")), "an STP that is a bound is marked beside the trade-off", await cellsOf(over, tradeoff));
  const found = await over.locator("#summary .findings").innerText();
  expect(found.includes("Overloaded under mps, timeslice") && !found.includes("highest throughput"), "a bound is nobody's highest throughput", found);
  await over.context().close();

  const added = await open("added.html");
  expect((await added.locator("#time").innerText()).includes("known demand alone"), "a further run's curve of the memory is of known demand");
  await added.context().close();

  const nine = await open("nine.html");
  const fills = await nine.locator("#time .legend").evaluateAll((all) => all.map((one) => [...one.querySelectorAll("svg")].map((key) => key.innerHTML)).filter((key) => key.length === 9).map((key) => new Set(key).size));
  expect(fills.length > 0 && fills.every((count) => count === 9), "nine applications have nine keys", fills);
  await nine.context().close();

  const bands = await open("bands.html");
  const [{ apps, system }] = [JSON.parse(file("bands.json"))].flat().map((one) => one.reports?.[0] ?? one);
  const drawn = (await cellsOf(bands, "#summary > .scroller >> nth=0"))[0].join(" ");
  const numbers = [system.band.stp_none, ...system.band.stp, apps.find((app) => app.qos_ms).band.p99_ms_none / apps.find((app) => app.qos_ms).qos_ms];
  expect(numbers.every((number) => drawn.includes(String(Number(number.toPrecision(4))))), "draws stand beside the first replication", [drawn, numbers]);
  expect((await bands.locator("#summary").innerText()).includes("first replication, demand drawn"), "and say so");
  await layout(bands, "bands.html");
  await bands.context().close();

  const chat = await open("chat.html");
  for (const place of ["#charts", "#jobs"]) expect((await chat.locator(place).innerText()).includes("Jobs of chat are here the steps"), `${place} says that jobs of a server are steps`);
  await chat.context().close();
}

// ---- Names that differ at their end alone ----

{
  const page = await open("caps.html");
  await page.setViewportSize({ width: 390, height: 900 });
  await page.waitForTimeout(1000);
  const names = (await page.locator('#summary figure').first().locator('[data-mark="y-axis tick label"] text').allTextContents()).slice(0, 3);
  expect(new Set(names).size === 3 && names.some((name) => name.includes("…")) && names.every((name) => /=[246]0$/.test(name)), "names that are cut stay apart", names);
  await page.context().close();
}

// ---- Layout of pages that are not used above; and the judge finds what is put before it ----

for (const name of ["equals.html", "twelve.html", "long.html"]) {
  const page = await open(name);
  await layout(page, name);
  if (name === "equals.html") expect(!/Lower lane|thick tick/.test(await page.locator("#jobs").innerText()), "no caption of what is not drawn: tasks, targets");
  if (name === "long.html") {
    await page.setViewportSize({ width: 390, height: 900 });
    const cut = await page.locator("#jobs tbody .link").evaluateAll((all) => all.filter((link) => link.getBoundingClientRect().right > link.closest(".scroller").getBoundingClientRect().right).length);
    expect(cut === 0, "names of jobs are not cut at 390 px", cut);
  }
  if (name === "long.html") expect(/of all: \w+, STP [\d.]+ of \d+ \(within 1 %: \w+\)/.test(await page.locator("#summary .findings").innerText()), "says whose throughput is nearly as high");
  if (name === "twelve.html") {
    expect((await page.locator("#summary .findings").innerText()).includes("No p99 has a 95 % interval"), "says that no p99 has an interval");
    expect((await page.locator("#comparison").innerText()).includes("Two replications tell only"), "says what two replications tell");
    writeFileSync(join(folder, "around.html"), file("twelve.html").replace('"p99_over_qos_ci95":[null,null]', '"p99_over_qos_ci95":[0.9,1.6]'));
    const around = await open("around.html");
    expect((await around.locator("#summary .findings").innerText()).includes("holds its target under mps: met or not may be chance"), "says whose interval holds the target");
    await around.context().close();
    const chart = page.locator("#summary figure", { hasText: "Throughput against late jobs" });
    await chart.locator("summary").click();
    const rows = (await chart.locator("tbody tr").allInnerTexts()).map((text) => text.split("\t"));
    const marks = await readMarks(page, '#summary figure:has-text("Throughput against late jobs")');
    const near = (mark) => rows.some(([, late, stp]) => Math.abs(mark.x - late) < 0.3 && Math.abs(mark.y - stp) < 0.01);
    expect(marks.length === rows.length && marks.every(near), "a mark of the trade-off is not at its place", marks.filter((mark) => !near(mark)));
    expect((await chart.innerText()).includes("A line joins a mark to its name"), "a name that makes way is joined to its mark");
    const unbeaten = rows.filter((row) => row[3] === "no").map((row) => row[0]).sort();
    const named = /Beaten in both by no other: ([^.(]*)/.exec(await chart.innerText())?.[1];
    expect(named?.trim().split(", ").sort().join() === unbeaten.join(), "the policies that no other beats are named", [named, unbeaten]);
    expect((await page.locator("#comparison").innerText()).includes("mps-priority, mps-even, stream-priority against mps: identical, the same schedule in every replication"), "says which policies are identical");
  }
  await page.context().close();
}
{
  const page = await open("bare.html");
  for (const [style, fault] of [["position: absolute; top: 0; left: 0", "lies on"], ["margin-left: -3rem", "leaves its p"], ["color: #999", "has a contrast of 2.8"]]) {
    await page.evaluate((css) => document.getElementById("main").insertAdjacentHTML("afterbegin", `<p id="bad">above</p><p id="worse"><span style="${css}">a fault on purpose</span></p>`), style);
    if (fault === "lies on") await page.evaluate(() => { document.getElementById("main").style.position = "relative"; });
    const faults = await page.evaluate(layoutFaults);
    expect(faults.some((text) => text.includes(fault)), `a fault is found: ${fault}`, faults);
    await page.evaluate(() => { document.getElementById("bad").remove(); document.getElementById("worse").remove(); });
  }
  for (const [apart, lies] of [[4, true], [40, false]]) {
    const label = (x) => `<text transform="translate(${x} 20) rotate(45)">a slanted label</text>`;
    await page.evaluate((svg) => document.getElementById("main").insertAdjacentHTML("afterbegin", svg), `<svg id="slanted" width="300" height="200">${label(20)}${label(20 + apart)}</svg>`);
    const faults = await page.evaluate(layoutFaults);
    expect(faults.some((text) => text.includes("“a slanted label” lies on “a slanted label”")) === lies, `slanted labels ${apart} apart`, faults);
    await page.evaluate(() => document.getElementById("slanted").remove());
  }
  await page.context().close();
}

// ---- The figures of `plot`: the same rules, and the colours of causes are those of the page ----

{
  const page = await browser.newPage({ viewport: { width: 4000, height: 2000 } });
  const names = readdirSync(join(folder, "figures"), { recursive: true }).filter((name) => name.endsWith(".svg"));
  expect(names.length > 20, "figures to look at", names.length);
  for (const name of names) {
    await page.setContent(`<body style="margin: 0; background: white">${file(join("figures", name)).replace(/^[^]*?(?=<svg)/, "")}`);
    const faults = await page.evaluate(layoutFaults);
    expect(!faults.length, `${name}: layout`, faults.slice(0, 5));
  }
  await page.close();
  const two = await open("two.html");
  const style = await two.evaluate(() => JSON.parse(document.getElementById("data").textContent).causes.map(({ name }) => [name, getComputedStyle(document.documentElement).getPropertyValue(`--cause-${name}`).trim()]));
  const [, drawn] = /^causes = "(.*)"$/m.exec(file("figures/two/blame-vit.gp"));
  const colours = drawn.split(" ");
  const pairs = colours.filter((_, i) => i % 2 === 0).map((name, i) => [name, colours[2 * i + 1]]);
  expect(JSON.stringify(pairs.sort()) === JSON.stringify(style.sort()), "the colours of causes in figures and on pages", [pairs, style]);
  await two.context().close();
}

await browser.close();
console.log(`${checks} checks, ${failures} wrong`);
process.exit(failures ? 1 : 0);
