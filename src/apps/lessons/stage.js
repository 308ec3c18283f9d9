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

/** A canvas that is as sharp as the screen; `draw(context, width, height)` draws it anew. */
function picture(height, draw) {
  const canvas = el("canvas", { role: "img", "aria-label": "Not simulated yet" });
  const self = { canvas, width: 0, height, redraw };
  function redraw() {
    const width = Math.floor(canvas.parentElement?.clientWidth ?? 0);
    if (!width) return;
    const tall = typeof height === "function" ? height(width) : height;
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(tall * scale)) {
      [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(tall * scale)];
      [canvas.style.width, canvas.style.height] = [`${width}px`, `${tall}px`];
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, tall);
    self.width = width;
    draw(context, width, tall);
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

/** How much of its time a block has had. */
function partDone(run, life, time) {
  if (life.to === Infinity) return 0.5;
  const [from, now, to] = [life.from, time, life.to].map((at) => ownTime(run, life.app, at));
  return to > from ? Math.min(1, (now - from) / (to - from)) : 1;
}

function drawSms(context, run, time, colours, box) {
  const { sms, slots, turns } = run.blocks;
  const { across, size } = gridOf(sms.length, box.width, box.height);
  const root = Math.ceil(Math.sqrt(slots));
  const columns = [root, root + 1, root + 2].find((n) => slots % n === 0) ?? root;
  const wide = (size - 3) / columns;
  const tall = (size - 3) / Math.ceil(slots / columns);
  const gap = Math.min(wide, tall) > 5 ? 1 : 0.3;
  const active = turnAt(run, time);
  const shades = new Map(); // rectangles by application and state, so that each ink is chosen once
  const shade = (app, lies) => {
    const key = lies ? `${app} still` : app;
    if (!shades.has(key)) shades.set(key, { colour: colours.series[run.apps.indexOf(app) % palette], lies, blocks: [] });
    return shades.get(key).blocks;
  };
  context.fillStyle = colours.raised;
  sms.forEach((sm, i) => {
    const x = box.x + (i % across) * size;
    const y = box.y + Math.floor(i / across) * size;
    context.fillRect(x + 0.5, y + 0.5, size - 1.5, size - 1.5);
    for (const life of livesAt(sm, time))
      shade(life.app, turns.length > 0 && life.app !== active).push(x + 1.5 + (life.slot % columns) * wide, y + 1.5 + Math.floor(life.slot / columns) * tall, (tall - gap) * partDone(run, life, time));
  });
  for (const { colour, lies, blocks } of shades.values()) {
    context.fillStyle = colour;
    context.globalAlpha = lies ? 0.15 : 0.4;
    for (let i = 0; i < blocks.length; i += 3) context.fillRect(blocks[i], blocks[i + 1], wide - gap, tall - gap);
    context.globalAlpha = lies ? 0.3 : 1;
    for (let i = 0; i < blocks.length; i += 3) context.fillRect(blocks[i], blocks[i + 1] + tall - gap - blocks[i + 2], wide - gap, blocks[i + 2]);
  }
  context.globalAlpha = 1;
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

function drawSide(context, run, time, colours, width, height) {
  const left = queueWidth(width);
  drawQueues(context, run, time, colours, { x: 0, y: 4, width: left - 14 });
  drawSms(context, run, time, colours, { x: left, y: 2, width: width - left, height: height - (flows(run) ? 44 : 4) });
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
