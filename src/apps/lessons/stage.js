// The stage: two runs of the same workload side by side, moved by the simulator's own events. Nothing is computed here but where
// things are drawn: which blocks lie on which SM, what waits, what flows and when comes from results.js.
"use strict";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Colours of the page as they are now, for canvases. */
function inks() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return { ink: of("ink"), muted: of("muted"), line: of("line"), raised: of("raised"), surface: of("surface"), focus: of("focus"), series: Array.from({ length: palette }, (_, i) => of(`series-${i}`)) };
}

/**
 * A canvas that is as sharp as the screen; `draw(context, width, height)` draws it anew. `measure` asks the page for its room, which costs a
 * layout where anything has changed; `fit` takes that room and empties it; `redraw` takes the room as it was.
 */
function picture(height, draw) {
  const canvas = el("canvas", { role: "img", "aria-label": "Not simulated yet" });
  const self = { canvas, width: 0, measure, fit, redraw };
  let tall = 0;
  function measure() {
    self.width = Math.floor(canvas.parentElement?.clientWidth ?? 0);
  }
  function fit() {
    if (!self.width) return;
    tall = height(self.width);
    const scale = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(self.width * scale), Math.round(tall * scale)];
    [canvas.style.width, canvas.style.height] = [`${self.width}px`, `${tall}px`];
  }
  function redraw() {
    if (!self.width) return;
    const context = canvas.getContext("2d");
    const scale = window.devicePixelRatio || 1;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, self.width, tall);
    draw(context, self.width, tall);
  }
  return self;
}

// ---- One side: queues, SMs, memory and link ----

const queueHeight = 64;
const queueWidth = (width) => (width < 360 ? 116 : 146);

/** How many SMs lie in a row, so that cells are as large as the room allows. */
function gridOf(count, width, height) {
  let best = { across: 1, size: 0 };
  for (let across = 1; across <= count; across++) {
    const size = Math.min(width / across, height / Math.ceil(count / across));
    if (size > best.size) best = { across, size };
  }
  return best;
}

/** Time that a time-sliced application had turns up to `time`; without slices, the time itself. */
function ownTime(run, app, time) {
  if (!run.blocks.turns.length) return time;
  let sum = 0;
  for (const turn of run.blocks.turns) if (turn.app === app && turn.from < time) sum += Math.min(turn.to, time) - turn.from;
  return sum;
}

/** Whose turn it is; null: nobody's, or there are no turns. */
function turnAt(run, time) {
  const turn = run.blocks.turns[lastAt(run.blocks.turns, time, (one) => one.from)];
  return turn && turn.to > time ? turn.app : null;
}

/** How much of its time a block has had, when its application has had `now` (ownTime). */
function partDone(run, life, now) {
  if (life.to === Infinity) return 0.5;
  life.own ??= [life.from, life.to].map((at) => ownTime(run, life.app, at));
  const [from, to] = life.own;
  return to > from ? Math.min(1, (now - from) / (to - from)) : 1;
}

/** A colour of the page, part of it over another, as a pixel of ImageData (the bytes R, G, B, A). */
function pixelOf(context, colour, over, part) {
  const bytes = [colour, over].map((text) => {
    context.fillStyle = text;
    return [1, 3, 5].map((at) => parseInt(context.fillStyle.slice(at, at + 2), 16));
  });
  const mixed = bytes[0].map((byte, i) => Math.round(part * byte + (1 - part) * bytes[1][i]));
  return new Uint32Array(Uint8Array.of(...mixed, 255).buffer)[0];
}

/** Pixels in which whole rectangles are set: a thousand blocks take a canvas longer to draw than all the rest of a frame. */
class Pixels {
  constructor(context, width, height) {
    [this.width, this.height] = [width, height];
    this.image = context.createImageData(width, height);
    this.words = new Uint32Array(this.image.data.buffer);
  }

  fill(left, top, right, bottom, pixel) {
    const { words, width } = this;
    for (let row = top * width; row < bottom * width; row += width) for (let at = row + left; at < row + right; at++) words[at] = pixel;
  }
}

/**
 * What of the SMs of a run stays while it plays, for a box of this many pixels of the screen: where each SM and each slot lies, the empty
 * SMs, and each application's four pixels, [block, done] while it runs and while it lies still.
 */
function smsLayer(context, run, colours, width, height) {
  const { sms, slots } = run.blocks;
  const { across, size } = gridOf(sms.length, width, height);
  const root = Math.ceil(Math.sqrt(slots));
  const columns = [root, root + 1, root + 2].find((n) => slots % n === 0) ?? root;
  const gap = window.devicePixelRatio || 1;
  const [wide, tall] = [columns, Math.ceil(slots / columns)].map((n) => (size - 3 * gap) / n);
  const apart = Math.min(wide, tall) > 4 * gap ? gap : 0; // smaller blocks touch
  const cells = sms.map((_, i) => [(i % across) * size, Math.floor(i / across) * size].map(Math.round));
  const places = Array.from({ length: slots }, (_, slot) => {
    const [x, y] = [slot % columns, Math.floor(slot / columns)];
    const [left, top, right, bottom] = [x * wide, y * tall, (x + 1) * wide, (y + 1) * tall].map((at) => Math.round(at + gap));
    return [left, top, Math.max(right - apart, left + 1), Math.max(bottom - apart, top + 1)];
  });
  const pixels = new Pixels(context, width, height);
  const side = Math.max(Math.floor(size - gap), 1);
  const empty = pixelOf(context, colours.raised, colours.raised, 1);
  for (const [x, y] of cells) pixels.fill(x, y, Math.min(x + side, width), Math.min(y + side, height), empty);
  const inks = run.apps.map((_, i) => [[0.4, 1], [0.15, 0.3]].map((parts) => parts.map((part) => pixelOf(context, colours.series[i % palette], colours.raised, part))));
  return { colours, cells, places, inks, pixels, empty: pixels.words.slice() };
}

/** Blocks on SMs; `kept`: an object in which the layer below them stays from frame to frame. */
function drawSms(context, run, time, colours, box, kept) {
  const scale = window.devicePixelRatio || 1;
  const [left, top, width, height] = [box.x, box.y, box.width, box.height].map((n) => Math.round(n * scale));
  if (kept.layer?.colours !== colours || kept.layer.pixels.width !== width || kept.layer.pixels.height !== height) kept.layer = smsLayer(context, run, colours, width, height);
  const { cells, places, inks, pixels, empty } = kept.layer;
  const active = turnAt(run, time);
  const apps = new Map(run.apps.map((app, i) => [app, { now: ownTime(run, app, time), ink: inks[i][run.blocks.turns.length && app !== active ? 1 : 0] }]));
  pixels.words.set(empty);
  run.blocks.sms.forEach((sm, i) => {
    const [x, y] = cells[i];
    for (const life of livesAt(sm, time)) {
      const { now, ink: [block, done] } = apps.get(life.app);
      const [from, upper, to, lower] = places[life.slot];
      const edge = y + lower - Math.round((lower - upper) * partDone(run, life, now));
      pixels.fill(x + from, y + upper, x + to, edge, block);
      pixels.fill(x + from, edge, x + to, y + lower, done);
    }
  });
  context.putImageData(pixels.image, left, top);
}

/** What waits now of an application: kernels and copies held back by the policy, or in the device's queue, and blocks of kernels that run. */
function waitingAt(run, app, time) {
  const waits = { held: 0, queued: 0, blocks: 0 };
  for (const task of run.tasks) {
    if (task.app !== app || !(task.ready <= time) || task.to <= time) continue;
    if (task.issued > time) waits.held++;
    else if (task.from > time) waits.queued++;
    else if (!task.copy) waits.blocks += task.blocks - begunAt(run, task, time);
  }
  return waits;
}

function waitingWords({ held, queued, blocks }) {
  return [queued ? `${queued} in the queue` : "", held ? `${held} held back` : "", blocks ? `${blocks} blocks to come` : ""].filter(Boolean).join(", ");
}

function drawQueues(context, run, time, colours, box) {
  context.font = "12px system-ui, sans-serif";
  run.apps.forEach((app, i) => {
    const waits = waitingAt(run, app, time);
    const { held, queued } = waits;
    const y = box.y + i * queueHeight;
    const colour = colours.series[i % palette];
    context.fillStyle = colours.ink;
    context.fillText(cut(app, 14), box.x, y + 11);
    const most = Math.floor((box.width - 8) / 11);
    for (let n = 0; n < Math.min(held + queued, most); n++) {
      const x = box.x + box.width - 18 - n * 11;
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = 1.5;
      if (n < queued) context.fillRect(x, y + 17, 9, 13);
      else context.strokeRect(x + 0.75, y + 17.75, 7.5, 11.5);
    }
    context.fillStyle = colours.muted;
    const lines = (waitingWords(waits) || "nothing waits").split(", ");
    lines.forEach((line, n) => context.fillText(line, box.x, y + (held + queued ? 43 : 26) + 13 * n, box.width));
  });
}

/** A bar whose stripes move as fast as bytes flow. */
function drawFlow(context, name, value, peak, moved, colours, box) {
  const part = peak > 0 ? Math.min(value / peak, 1) : 0;
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colours.muted;
  context.fillText(`${name} ${part > 0 ? `${show(value)} of ${show(peak)} GB/s` : "idle"}`, box.x, box.y + 10);
  context.fillStyle = colours.raised;
  context.fillRect(box.x, box.y + 15, box.width, 8);
  context.save();
  context.beginPath();
  context.rect(box.x, box.y + 15, box.width * part, 8);
  context.clip();
  context.fillStyle = colours.series[6];
  for (let x = box.x - 16 + (moved % 16); x < box.x + box.width; x += 16) context.fillRect(x, box.y + 15, 9, 8);
  context.restore();
}

/** Whether this run moved any bytes that the simulator knows of. */
const flows = (run) => ["dram_bandwidth", "pcie_h2d", "pcie_d2h"].some((key) => run.curves.get(key)?.some(([, value]) => value > 0));

const linkPeak = (run) => run.gpu.pcie_mb_s / 1000;

function drawSide(context, run, time, colours, width, height, kept) {
  const left = queueWidth(width);
  drawQueues(context, run, time, colours, { x: 0, y: 4, width: left - 14 });
  drawSms(context, run, time, colours, { x: left, y: 2, width: width - left, height: height - (flows(run) ? 44 : 4) }, kept);
  if (!flows(run)) return;
  const half = (width - 16) / 2;
  const link = curveAt(run.curves.get("pcie_h2d"), time) + curveAt(run.curves.get("pcie_d2h"), time);
  drawFlow(context, "memory", curveAt(run.curves.get("dram_bandwidth"), time), run.gpu.dram_gb_s, time / 40, colours, { x: 0, y: height - 30, width: half });
  drawFlow(context, "link", link, linkPeak(run), time / 40, colours, { x: half + 16, y: height - 30, width: half });
}

/** The same in words. */
function sideWords(run, time) {
  const used = run.apps.map((app) => ({ app, sms: 0, blocks: 0 }));
  for (const sm of run.blocks.sms) {
    const here = new Set();
    for (const life of livesAt(sm, time)) {
      const own = used[run.apps.indexOf(life.app)];
      own.blocks++;
      if (!here.has(life.app)) own.sms++;
      here.add(life.app);
    }
  }
  const turn = turnAt(run, time);
  const parts = used.map(({ app, sms, blocks }) => {
    const waits = waitingWords(waitingAt(run, app, time));
    const where = blocks ? `${blocks} blocks on ${sms} SMs${turn && turn !== app ? ", lying still" : ""}` : "no blocks";
    return `${app}: ${where}${waits ? `, ${waits}` : ""}`;
  });
  return `${parts.join("; ")}.`;
}

// ---- The axis of time that both sides share ----

const rowHeight = 15;

function stripHeight(runs) {
  return 24 + runs.length * (runs[0].apps.length * rowHeight + 20);
}

/** Ticks of about this number on [from, to]. */
function ticksOf(from, to, about) {
  const rough = (to - from) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to + 1e-9; at += step) ticks.push(at);
  return ticks;
}

function drawStrip(context, stage, width, height) {
  const { runs, labels, colours, from, to, limit } = stage;
  const x = (at) => stripLeft + ((at - from) / (to - from)) * (width - stripLeft - 8);
  const bar = (a, b, y, tall) => context.fillRect(x(Math.max(a, from)), y, Math.max(x(Math.min(b, limit)) - x(Math.max(a, from)), 0.8), tall);
  context.font = "12px system-ui, sans-serif";
  let y = 4;
  runs.forEach((run, side) => {
    context.fillStyle = colours.muted;
    context.fillText(labels[side], 0, y + 12);
    y += 17;
    run.apps.forEach((app, i) => {
      const colour = colours.series[i % palette];
      context.fillStyle = colours.ink;
      context.fillText(cut(app, 10), 0, y + 11);
      context.fillStyle = colours.line;
      for (const job of run.jobs) if (job.app === app && job.to >= from && job.arrival <= limit) bar(job.arrival, job.to, y + 5, 3);
      context.fillStyle = colour;
      for (const task of run.tasks) {
        if (task.app !== app || task.to < from || task.from > limit) continue;
        context.globalAlpha = task.copy ? 0.5 : 1;
        bar(task.from, task.to, y + (task.copy ? 4 : 1), task.copy ? 5 : 11);
      }
      context.globalAlpha = 1;
      for (const job of run.jobs) if (job.app === app && job.arrival >= from && job.arrival <= to) arrow(context, x(job.arrival), y + 1, colours.ink);
      y += rowHeight;
    });
    y += 3;
  });
  context.fillStyle = colours.muted;
  if (limit < to) context.fillText("? guess first", x(limit) + 12, height / 2);
  for (const tick of ticksOf(from / 1000, to / 1000, width / 90)) {
    const text = `${show(tick)} ms`;
    context.fillRect(x(tick * 1000), 4, 0.5, height - 22);
    context.fillText(text, Math.min(x(tick * 1000) - 4, width - context.measureText(text).width), height - 4);
  }
}

const stripLeft = 88;

/** An arrival: a small triangle that points down. */
function arrow(context, x, y, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x - 4, y - 2);
  context.lineTo(x + 4, y - 2);
  context.lineTo(x, y + 6);
  context.fill();
}

/** High enough for the SMs of this GPU and the queues of these applications. */
function sideHeight(run, width) {
  const count = run.blocks.sms.length;
  const room = width - queueWidth(width);
  const rows = Math.max(1, Math.round(Math.sqrt(count * 0.55)));
  const grid = Math.min((room / Math.ceil(count / rows)) * rows, 260);
  return Math.max(grid, run.apps.length * queueHeight) + (flows(run) ? 48 : 8);
}
