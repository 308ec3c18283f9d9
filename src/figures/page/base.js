// What every part of every page uses: the data, elements, numbers, controls, tables. Text goes in as text nodes, never as markup.
"use strict";

const page = JSON.parse(document.getElementById("data").textContent);
const meanings = JSON.parse(document.getElementById("meanings")?.textContent ?? "{}"); // of headings, name: [unit, meaning]; the lessons have none

/** An element with attributes (functions become listeners, null is left out) and children (nodes or text). */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** A section with its heading, listed in the navigation. `section.of` says of what all that follow are, where the page has several. */
function section(id, title, ...children) {
  document.getElementById("contents").append(el("a", { href: `#${id}` }, title));
  const of = section.of ? [" ", el("small", null, section.of)] : null;
  const node = el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title, of), ...children);
  document.getElementById("main").append(node);
  return node;
}

/** Below the title of a page of a search that was interrupted: what it lacks. */
function interruption() {
  if (!page.interrupted) return;
  const lacks = page.not_tried.length ? ` Not tried: ${page.not_tried.join(", ")}.` : "";
  document.getElementById("subtitle").after(el("p", { class: "warning" }, `Interrupted: this is what was known by then.${lacks}`));
}

/** What the text says below its tables. */
const noteList = () => (page.notes.length ? el("ul", { class: "findings" }, page.notes.map((text) => el("li", null, text))) : null);

/** The end of every page: the words of its tables, which program made it, and whose charts it draws. */
function footer(version) {
  section.of = null;
  section("words", "Glossary", el("p", null, "What the headings of the tables mean: the mark at a heading leads here. The lessons, cotenant-lessons.html (made by scripts/lessons, installed with the documentation), show waves, caps, queues and priorities at work."), wordList);
  document.getElementById("footer").append(el("p", null, `Simulated by cotenant ${version}; every number on this page is predicted, not measured. Charts: Observable Plot and D3 (ISC licence, in the source of this page).`));
}

const known = (number) => typeof number === "number" && Number.isFinite(number);

/** A number with four significant digits, "–" where it is not known. */
function show(number, unit = "") {
  if (!known(number)) return "–";
  const size = Math.abs(number);
  const text =
    size !== 0 && ((size >= 1e7 && !Number.isInteger(number)) || size < 1e-4)
      ? number.toExponential(2)
      : String(Number(number.toPrecision(size >= 1000 ? Math.ceil(Math.log10(size + 1)) : 4)));
  return unit ? `${text} ${unit}` : text;
}

/** The service by which a point of a plan is decided and, where that is not its latency, the target. */
const decider = (point) => (!point.service ? "–" : point.target === "qos_ms" ? point.service : `${point.service} ${point.target}`);

/** Per cent as a reader takes them in: three digits, at most two decimals. */
function inPercent(number) {
  if (!known(number)) return "–";
  return number > 0 && number < 0.005 ? "<0.01 %" : `${Number(number.toFixed(Math.abs(number) < 10 ? 2 : 1))} %`;
}
const percent = (fraction) => inPercent(known(fraction) ? 100 * fraction : null);

/** A text without its middle where it is too long: names of policies begin alike, and options stand at their end. */
function cut(text, most = 24) {
  if (text.length <= most) return text;
  const shown = Math.max(Math.floor(most) - 1, 1);
  const tail = Math.floor(shown / 2);
  return `${text.slice(0, shown - tail)}…${text.slice(text.length - tail)}`;
}

/** Microseconds in the unit that suits them. */
function duration(us) {
  if (!known(us)) return "–";
  const size = Math.abs(us);
  return size >= 1e6 ? show(us / 1e6, "s") : size >= 1e3 || us === 0 ? show(us / 1e3, "ms") : show(us, "µs");
}

const interval = (pair, text = (number) => show(number)) => (pair && known(pair[0]) ? `${text(pair[0])} to ${text(pair[1])}` : "–");

/** The value with the interval under it, in as many digits (`format`). */
function withInterval(text, pair, format) {
  return pair && known(pair[0]) ? [text, el("br"), el("small", null, interval(pair, format))] : text;
}

/**
 * How all numbers of a column are written: as many decimals as give three of four at least three digits, and the largest no more than
 * five; at most `most` of them; "<0.001" where that is not enough.
 */
function columnFormat(numbers, most = 4) {
  const sizes = numbers.filter((number) => known(number) && number !== 0).map(Math.abs).sort((a, b) => a - b);
  const small = sizes[Math.floor(sizes.length / 4)] ?? 1;
  const digits = (size) => Math.floor(Math.log10(size)) + 1; // before the point
  const decimals = sizes.every(Number.isInteger) ? 0 : Math.max(Math.min(3 - digits(small), 5 - digits(sizes.at(-1)), most), 0);
  const least = 10 ** -decimals;
  return (number) => {
    if (!known(number)) return "–";
    if (Math.abs(number) >= 1e7 && !Number.isInteger(number)) return number.toExponential(2);
    return number !== 0 && Math.abs(number) < least / 2 ? `${number < 0 ? "-" : ""}<${least}` : number.toFixed(decimals);
  };
}

/** A number as text with the mark of its bound: ">" a lower one, "<" an upper one, which what is too small for its column has already. */
function marked(mark, text) {
  if (!mark || text === "–") return text;
  return text.startsWith("<") ? (mark === "<" ? text : ">0") : `${mark}${text}`;
}

// The same colours for the same policy and the same application everywhere; dashes and symbols tell them apart in grey.
const palette = 8;
const dashes = ["none", "6 3", "2 2", "8 3 2 3", "1 4", "10 4", "4 2 1 2", "12 3 3 3"];
const symbols = ["circle", "square", "triangle", "diamond", "cross", "star", "wye", "hexagon"];
const colourOf = (index) => `var(--series-${index % palette})`;
const dashOf = (index) => dashes[(index + Math.floor(index / palette)) % dashes.length];
const symbolOf = (index) => symbols[(index + Math.floor(index / palette)) % symbols.length];

// ---- Controls ----

let controls = 0;

/** A labelled drop-down list; options are [value, text]. */
function choice(label, options, change, value) {
  const id = `control-${++controls}`;
  const select = el("select", { id, change: () => change(select.value) });
  for (const [key, text] of options) select.append(el("option", { value: key }, text));
  if (value !== undefined) select.value = value;
  return { node: el("div", { class: "control" }, el("label", { for: id }, label), select), select };
}

function checkbox(label, checked, change) {
  const id = `control-${++controls}`;
  const box = el("input", { id, type: "checkbox", change: () => change(box.checked) });
  box.checked = checked;
  return { node: el("div", { class: "control check" }, box, el("label", { for: id }, label)), box };
}

function input(label, attributes, change) {
  const id = `control-${++controls}`;
  const box = el("input", { id, ...attributes, input: () => change(box.value) });
  return { node: el("div", { class: "control" }, el("label", { for: id }, label), box), box };
}

// ---- Tables ----

/** Text that may break into lines, as no line of a table has room for it. */
const isLong = (content) => String(content?.textContent ?? content).length > 24;

const wordList = el("dl", { class: "words" });
const titlesOf = new Map(); // of each word that is in the glossary: what headings call it

/** A mark that leads from a heading to its word in the list of words, which has it from then on. */
function wordMark({ word, title, term = title }) {
  if (!meanings[word]) return null;
  const id = `word-${word}`;
  const [unit, meaning] = meanings[word];
  const text = `${meaning.replaceAll("`", "")}${unit ? ` (${unit})` : ""}`;
  const entry = titlesOf.get(word) ?? { titles: [], term: el("dt", { id }) };
  if (!titlesOf.has(word)) wordList.append(entry.term, el("dd", null, text));
  if (!entry.titles.includes(term)) entry.titles.push(term);
  entry.term.textContent = entry.titles.join(" · ");
  titlesOf.set(word, entry);
  return el("a", { class: "mark", href: `#${id}`, title: text, "aria-label": `What “${title}” means` }, "?");
}

/** A column of parts of 1, in per cent. */
const percentColumn = (title, word, fraction, more) => ({ title, word, most: 2, value: (row) => (known(fraction(row)) ? 100 * fraction(row) : null), ...more });

/**
 * A table with a caption. Columns: {title, word, of?, cell(row), sort(row)?, number?, prose?}, or of numbers, all with the same digits,
 * {title, word, of?, value(row), around(text, row, format)?, most?}. `word` is its name in the glossary, which calls it `term` (or by
 * its title); `of` stands before the title.
 * A click on a heading sorts by it; the first column heads its row.
 */
function table(caption, columns, rows, more = {}) {
  columns = columns.map((column) => (column.value ? { number: true, sort: column.value, ...column } : column));
  const body = el("tbody");
  const headings = columns.map((column) => heading(column));
  let sorted = null;
  let down = false;

  function heading(column) {
    const title = column.of ? `${column.of}: ${column.title}` : column.title;
    const attributes = { scope: "col", class: [column.number ? "number" : "", title.split(" ").some(isLong) ? "long" : ""].join(" ").trim() || null };
    const named = column.sort ? el("button", { type: "button", class: "sort", click: () => sortBy(column) }, title) : title;
    return el("th", attributes, named, "\u00a0", wordMark(column));
  }
  function sortBy(column) {
    down = sorted === column ? !down : false;
    sorted = column;
    headings.forEach((th, i) => {
      if (columns[i] === column) th.setAttribute("aria-sort", down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    fill();
  }
  function fill() {
    const order = [...rows];
    for (const column of columns.filter((one) => one.value)) {
      const format = columnFormat(rows.map(column.value), column.most);
      column.cell = (row) => (column.around ? column.around(format(column.value(row)), row, format) : format(column.value(row)));
    }
    if (sorted) order.sort((a, b) => compare(sorted.sort(a), sorted.sort(b)) * (down ? -1 : 1));
    body.replaceChildren(...order.map((row) => el("tr", null, columns.map((column, i) => cell(column, row, i)))));
  }
  function cell(column, row, i) {
    const content = column.cell(row);
    const attributes = { class: column.number ? "number" : column.prose ? "prose" : isLong(content) ? "long" : null, scope: i === 0 ? "row" : null };
    return el(i === 0 ? "th" : "td", attributes, content);
  }
  fill();
  const whole = el("table", null, el("caption", null, el("span", null, caption)), el("thead", null, el("tr", null, headings)), body);
  const scroller = el("div", { class: "scroller", role: "region", tabindex: "0", "aria-label": caption, ...more }, whole);
  scroller.refill = (next) => {
    rows = next;
    fill();
  };
  return scroller;
}

function compare(a, b) {
  if (typeof a === "number" || typeof b === "number") {
    const x = known(a) ? a : Infinity;
    const y = known(b) ? b : Infinity;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a chart shows as a table, folded away. */
const asTable = (node) => el("details", { class: "data" }, el("summary", null, "The same as a table"), node);

const note = (...text) => el("p", { class: "note" }, ...text);
const command = (text) => el("code", null, text);
