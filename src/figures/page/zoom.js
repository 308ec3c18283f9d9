// Charts that are drawn anew when the room or what they show changes, and those that zoom along their x axis.
"use strict";

const charts = [];

/** A figure with a title; `draw(width)` returns its nodes, the first one the chart. */
function chart(title, draw, description) {
  const id = `chart-${charts.length + 1}`;
  const room = el("div", { class: "room" });
  const caption = el("figcaption", { id }, title);
  const node = el("figure", { class: "chart", "aria-labelledby": id }, caption, room);
  if (description) node.append(el("p", { class: "note" }, description));
  const self = { node, room, draw: redraw, width: 0, name };
  function name(of) { // what is drawn, where that changes
    caption.textContent = `${title}: ${of}`;
  }
  function redraw() {
    const width = Math.floor(room.clientWidth);
    if (!width) return;
    self.width = width;
    room.replaceChildren(...[draw(width)].flat().filter(Boolean));
    for (const svg of room.querySelectorAll("svg")) {
      if (svg.closest(".legend")) continue;
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `${title}. The same numbers are in a table below.`);
      for (const mark of svg.querySelectorAll("[aria-label], [aria-description]")) { // an image has no named parts
        mark.dataset.mark = mark.getAttribute("aria-label");
        mark.removeAttribute("aria-label");
        mark.removeAttribute("aria-description");
      }
    }
  }
  new ResizeObserver(() => {
    if (Math.abs(room.clientWidth - self.width) > 2) redraw();
  }).observe(room);
  charts.push(self);
  return self;
}

/**
 * A chart that zooms: `whole` is its full range ([low, high]), `draw(width, range)` draws a part of it. Wheel with Ctrl,
 * a drag, the buttons and the keys all do the same.
 */
function zoomChart(title, whole, draw, { log = false, description } = {}) {
  let full = whole;
  let range = [...whole];
  const to = (value) => (log ? Math.log(value) : value);
  const from = (value) => (log ? Math.exp(value) : value);
  const self = chart(title, (width) => draw(width, range), description);
  const { room, node } = self;

  function set(low, high) {
    const [least, most] = full.map(to);
    const span = Math.min(Math.max(high - low, (most - least) * 1e-6), most - least);
    low = Math.min(Math.max(low, least), most - span);
    range = [from(low), from(low + span)];
    self.draw();
  }
  const scale = (factor, at = 0.5) => {
    const [low, high] = range.map(to);
    const middle = low + at * (high - low);
    set(middle - (middle - low) * factor, middle + (high - middle) * factor);
  };
  const move = (part) => {
    const [low, high] = range.map(to);
    set(low + part * (high - low), high + part * (high - low));
  };
  const reset = () => set(...full.map(to));
  self.set = (low, high) => set(to(low), to(high));
  self.range = () => range;
  self.whole = (next) => {
    full = next;
    range = [...next];
    self.draw();
  };

  const button = (text, label, click) => el("button", { type: "button", title: label, "aria-label": label, click }, text);
  const bar = el(
    "div",
    { class: "zoom", role: "group", "aria-label": `Zoom: ${title}` },
    button("+", "Zoom in", () => scale(0.5)),
    button("−", "Zoom out", () => scale(2)),
    button("←", "Move left", () => move(-0.25)),
    button("→", "Move right", () => move(0.25)),
    button("All", "Show all", reset),
    el("span", { class: "hint" }, "or drag over the chart, Ctrl and wheel; keys + − ← → 0"),
  );
  node.insertBefore(bar, room);
  room.tabIndex = 0;
  room.setAttribute("role", "group");
  room.setAttribute("aria-label", `${title}: plus and minus zoom, arrows move, 0 shows all`);
  room.addEventListener("keydown", (event) => {
    const keys = {
      "+": () => scale(0.5), "=": () => scale(0.5), "-": () => scale(2), "0": reset,
      ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  room.addEventListener("dblclick", reset);
  watchPointer(self, to, scale, set);
  return self;
}

/** Where a pointer is: the value on the x axis of the chart under it, and the part of the range left of it. */
function placeOf(self, event) {
  const svg = self.room.querySelector("svg[data-zoom]");
  const box = svg.getBoundingClientRect();
  const factor = svg.viewBox.baseVal.width / box.width;
  const axis = svg.xScale;
  const x = Math.min(Math.max((event.clientX - box.left) * factor, axis.range[0]), axis.range[1]);
  return { value: axis.invert(x), part: (x - axis.range[0]) / (axis.range[1] - axis.range[0]) };
}

function watchPointer(self, to, scale, set) {
  const { room } = self;
  const band = el("div", { class: "band", hidden: true });
  let start = null;
  room.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      scale(event.deltaY < 0 ? 0.7 : 1 / 0.7, placeOf(self, event).part);
    },
    { passive: false },
  );
  room.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0 || event.pointerType === "touch" || !event.target.closest("svg[data-zoom]")) return;
      start = { ...placeOf(self, event), x: event.clientX };
    },
    { capture: true }, // Plot's tips keep the event to themselves
  );
  window.addEventListener("pointermove", (event) => {
    if (!start || Math.abs(event.clientX - start.x) < 4) return;
    const box = room.getBoundingClientRect();
    room.append(band);
    band.hidden = false;
    band.style.left = `${Math.min(start.x, event.clientX) - box.left}px`;
    band.style.width = `${Math.abs(event.clientX - start.x)}px`;
  });
  window.addEventListener("pointerup", (event) => {
    if (!start) return;
    const begun = start;
    start = null;
    band.remove();
    if (Math.abs(event.clientX - begun.x) < 4) return;
    const end = placeOf(self, event);
    self.dragged = performance.now();
    set(...[to(begun.value), to(end.value)].sort((a, b) => a - b));
  });
}

/** Plot.plot with what all charts share. A chart that zooms is told from others by its mark. */
function drawPlot(options, zooms = false) {
  const svg = Plot.plot({
    ...options,
    style: { background: "transparent", color: "inherit", fontSize: "12px", fontFamily: "inherit", overflow: "visible", ...options.style },
  });
  if (zooms) {
    svg.dataset.zoom = "x";
    svg.xScale = svg.scale("x");
  }
  return svg;
}

/** Where marks of `x` and `y` stand across in a drawn chart so that none hides one of another `series`: those on one place stand side by side. */
function sideBySide(rows, drawn, x, y, series) {
  const [across, down] = [drawn.scale("x"), drawn.scale("y")];
  const placed = [];
  return rows.map((row) => {
    const level = down.apply(y(row));
    const own = across.apply(x(row));
    let at = own;
    while (placed.some((other) => other.series !== series(row) && Math.hypot(other.at - at, other.level - level) < 6)) at += 9;
    placed.push({ at, level, series: series(row) });
    return { ...row, across: across.invert(at), moved: at > own };
  });
}

const besideNote = (rows) => (rows.some((row) => row.moved) ? "A mark that would hide another stands right of its place. " : "");

/** The mark of a policy, an application or a way, as legends show it. */
function swatch(index) {
  const svg = Plot.plot({ width: 14, height: 14, margin: 0, axis: null, x: { domain: [-1, 1] }, y: { domain: [-1, 1] },
    style: { background: "transparent" }, marks: [Plot.dot([0], { x: 0, y: 0, r: 4, symbol: symbolOf(index), fill: colourOf(index) })] });
  svg.setAttribute("aria-hidden", "true");
  for (const part of svg.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  return svg;
}

/** Colour, dash or pattern (or `symbol`, the number of a mark) with the text it stands for. */
function legend(items) {
  const svg = (item) => {
    const ns = "http://www.w3.org/2000/svg";
    const box = document.createElementNS(ns, "svg");
    if (item.symbol !== undefined) return swatch(item.symbol);
    const shape = document.createElementNS(ns, item.dash ? "line" : "rect");
    const values = item.dash
      ? { x1: 0, x2: 26, y1: 6, y2: 6, stroke: item.colour, "stroke-width": 3, "stroke-dasharray": item.dash }
      : { width: 26, height: 12, fill: item.colour };
    for (const [name, value] of Object.entries(values)) shape.setAttribute(name, value);
    for (const [name, value] of Object.entries({ width: 26, height: 12, "aria-hidden": "true" })) box.setAttribute(name, value);
    box.append(shape);
    return box;
  };
  return el("ul", { class: "legend" }, items.map((item) => el("li", null, svg(item), " ", item.text)));
}
