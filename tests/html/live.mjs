// The page of `html --live` in headless Chromium: node live.mjs MODULES CHROMIUM PAGE COMPARED COTENANT SOURCE [native]. A slider is moved,
// and the numbers shown are those of the program with the same number; with "native" that program answers in place of WebAssembly. Then it
// and COMPARED, the page of policies with long names, are looked at.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { lookAt } from "./layout.mjs";
import { runNative } from "../lessons/native.mjs";

const [modules, executablePath, path, compared, cotenant, source, native] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
if (native) {
  const text = readFileSync(path, "utf8");
  const opening = /const core = openEmbeddedCore\("[^"]*"\);/;
  if (!opening.test(text)) throw new Error("the page opens no core");
  writeFileSync(path, text.replace(opening, () => readFileSync(`${source}/tests/lessons/native_core.js`, "utf8")));
}
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
const patience = { timeout: 120000 };
const wrong = [];
page.on("pageerror", (error) => wrong.push(error.message));
page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
await page.exposeFunction("askNative", async (argv, files) => {
  const given = Object.fromEntries(Object.entries(files).map(([name, { text, bytes }]) => [name.replace("traces/", ""), text ?? Buffer.from(bytes, "base64")]));
  const answer = await runNative(cotenant, source, argv, given);
  return { ...answer, files: Object.fromEntries(Object.entries(answer.files).map(([name, bytes]) => [name, bytes.toString("base64")])) };
});
await page.goto(pathToFileURL(path).href, patience);
await page.waitForSelector("html[data-ready]", patience);
const live = page.locator("#live");
const shown = async () => (await live.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))));
let turn = 0;
async function move(label, value) {
  await live.getByLabel(label, { exact: true }).fill(String(value));
  await page.waitForSelector(`#live [data-ready="${++turn}"]`, patience).catch(async (error) => {
    throw new Error(`${label}: the page says "${await live.locator("[role=status]").innerText()}"`, { cause: error });
  });
  return shown();
}
function expect(good, what, ...more) {
  if (!good) wrong.push(`${what} ${JSON.stringify(more)}`);
}

const report = (caps, ...sets) => JSON.parse(execFileSync(cotenant, ["run", "live.json", "--policy", `mps-caps:caps=${caps}`, "--quiet", "--format", "json", ...sets.flatMap((set) => ["--set", set])], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
const near = (text, number) => Math.abs(Number(text) / number - 1) < 0.02;
const stored = report("q=60+b=40");
const moved = ["apps.q.arrivals.rate_per_s=80", "gpu.sms=100"];
for (const [label, value, now] of [
  ["Load of q", 80, report("q=60+b=40", moved[0])],
  ["SMs", 100, report("q=60+b=40", ...moved)],
  ["caps: q", 90, report("q=90+b=40", ...moved)],
]) {
  const rows = await move(label, value);
  expect(rows.length === stored.apps.length, `${label}: a row for each application`, rows);
  rows.forEach((row, i) => {
    expect(near(row[1], stored.apps[i].latency_ms.p99), `${label}: p99 before`, row, stored.apps[i].latency_ms.p99);
    expect(near(row[2], now.apps[i].latency_ms.p99), `${label}: p99 now`, row, now.apps[i].latency_ms.p99);
    expect(near(row[8], now.apps[i].normalised_progress), `${label}: progress now`, row, now.apps[i].normalised_progress);
  });
}
{
  const over = report("q=5+b=40", ...moved).apps[0];
  const [row] = await move("caps: q", 5);
  expect(over.overloaded === true && !over.alone_overloaded, "an overloaded service, for the test to say something", over);
  expect(/^\d/.test(row[1]) && row[2].startsWith(">") && row[8].startsWith("<"), "bounds are marked", row);
  expect(row.at(-1).includes("violated"), "a verdict", row);
  expect((await live.locator(".note").allInnerTexts()).some((text) => text.startsWith("Overloaded now: q")), "overload is told");
}
expect((await live.locator("[role=status]").innerText()).startsWith("Without a change it gives the numbers of the store"), "the store's numbers again", await live.locator("[role=status]").innerText());
expect((await live.locator("a:not(.mark)").getAttribute("href")) === "cotenant-lessons.html", "a link to the lessons");

await lookAt(page, axe, "live", expect);
await page.goto(pathToFileURL(compared).href, patience);
await page.waitForSelector("html[data-ready]", patience);
await page.waitForFunction(() => [...document.querySelectorAll(".room")].every((room) => room.childElementCount > 0), null, patience);
await lookAt(page, axe, "compared", expect);
await page.setViewportSize({ width: 1400, height: 1000 });
const whole = ["hsm-qos", "mps-priority", "baymax-plus", "mps-caps:caps=q=60+b=40"];
const names = page.locator("#summary figure").first().locator("[data-mark^=y-axis] text");
await names.filter({ hasText: whole[3] }).waitFor({ timeout: 10000 }).catch(() => {}); // drawn anew for the width
const drawn = await names.allTextContents();
expect(whole.every((policy) => drawn.includes(policy)), "names of policies are not cut where there is room", drawn);
await page.screenshot({ path: path.replace(/html$/, "png") });
await browser.close();
if (wrong.length) console.log(`WRONG: ${wrong.join("\nWRONG: ")}`);
process.exit(wrong.length ? 1 : 0);
