// The player of a stage: its clock, its controls, and what of two runs it shows.
"use strict";

/** The times at which something happens in a part of these runs, in order. */
function eventsOf(runs, from, to) {
  const times = new Set();
  for (const run of runs) {
    for (const sm of run.blocks.sms) for (const life of sm.lives) times.add(life.from).add(life.to);
    for (const task of run.tasks) for (const at of [task.ready, task.issued, task.from, task.to]) times.add(at);
    for (const job of run.jobs) times.add(job.arrival);
  }
  return [...times].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
}

/**
 * A stage for one or two runs; times in microseconds. `seconds`: how long it plays at speed 1. `drag`: arrivals that can be dragged on
 * the axis, {near(ms, reach): key or undefined, move(key, ms)}.
 */
class Stage {
  runs = [];
  labels = [];
  colours = null;
  from = 0;
  to = 1;
  limit = 1; // shown up to here
  time = 0;
  events = [];
  playing = false;
  touched = false; // by the reader, who then has it
  #speed = 1;
  #seconds;
  #pictures = [];
  #inView = false;
  #last = 0; // when the frame before was drawn
  #shown = 0; // when the clock was written

  constructor({ seconds = 12, drag } = {}) {
    this.#seconds = seconds;
    this.sides = el("div", { class: "sides" });
    this.strip = picture(() => stripHeight(this.runs), (context, width, height) => drawStrip(context, this, width, height));
    this.head = el("div", { class: "head" });
    this.words = el("p", { class: "note words", "aria-live": "polite" });
    this.node = el("figure", { class: "stage" }, this.sides, el("div", { class: "strip" }, this.strip.canvas, this.head), this.#controls(), this.words);
    this.#watchAxis(drag);
    this.#watchPage();
  }

  #controls() {
    this.clock = el("output", { class: "clock", "aria-live": "off" });
    this.slider = el("input", { type: "range", min: 0, max: 1000, value: 0, step: 1, "aria-label": "Time", input: () => this.show(this.from + (this.slider.value / 1000) * (this.to - this.from)) });
    this.button = el("button", { type: "button", click: () => { this.touched = true; this.playing ? this.pause() : this.start(); } }, "▶ Play");
    const speed = choice("Speed", [["0.25", "¼"], ["0.5", "½"], ["1", "1"], ["2", "2"], ["4", "4"]], (value) => { this.#speed = Number(value); }, "1");
    const step = (label, name, by) => el("button", { type: "button", title: name, "aria-label": name, click: () => this.show(this.#eventBeside(by)) }, label);
    return el("div", { class: "controls player", role: "group", "aria-label": "Player" }, this.button, step("← Step", "Step back to the event before", -1), step("Step →", "Step to the next event", 1), speed.node, this.slider, this.clock);
  }

  /** The time of the event before or after, of either run. */
  #eventBeside(by) {
    const i = lastAt(this.events, this.time + (by > 0 ? 1e-6 : -1e-6), (at) => at);
    const next = by > 0 ? this.events[i + 1] : this.events[i];
    return next === undefined ? (by > 0 ? this.limit : this.from) : next;
  }

  /** The time under a pointer on the axis. */
  #under(event) {
    const box = this.strip.canvas.getBoundingClientRect();
    return this.from + ((event.clientX - box.left - stripLeft) / (box.width - stripLeft - 8)) * (this.to - this.from);
  }

  #watchAxis(drag) {
    const { canvas } = this.strip;
    let held;
    canvas.addEventListener("pointerdown", (event) => {
      const time = this.#under(event);
      canvas.setPointerCapture(event.pointerId);
      held = drag?.near(time / 1000, (8 * (this.to - this.from)) / 1000 / this.strip.width);
      if (!held) this.show(time);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons && held) drag.move(held, this.#under(event) / 1000);
      else if (event.buttons) this.show(this.#under(event));
    });
  }

  /** Follows the room and the colours, and plays when it comes into view, until the reader has touched it. */
  #watchPage() {
    const redraw = () => {
      if (!this.runs.length) return;
      this.#fit();
      this.draw();
    };
    let wide;
    new ResizeObserver(([{ contentRect: { width } }]) => {
      if (width !== wide) redraw(); // what it shows changes its height alone
      wide = width;
    }).observe(this.node);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours = inks();
      redraw();
    });
    new IntersectionObserver(([entry]) => {
      this.#inView = entry.isIntersecting;
      if (this.#inView) this.#wake();
      else this.pause();
    }, { threshold: 0.4 }).observe(this.sides);
  }

  #wake() {
    if (this.#inView && !this.touched && !still.matches && this.time <= this.from) this.start();
  }

  /** Other runs; `window` ([from, to]) and `limit`, up to which they are shown, in ms. */
  set(runs, labels, window, limit = Infinity) {
    this.pause();
    const first = !this.runs.length;
    [this.runs, this.labels] = [runs, labels];
    this.colours ??= inks();
    [this.from, this.to] = window.map((ms) => ms * 1000);
    this.limit = Math.min(limit * 1000, this.to);
    this.events = eventsOf(runs, this.from, this.to);
    this.#pictures = runs.map((run) => {
      const kept = {};
      return picture((width) => sideHeight(run, width), (context, width, height) => drawSide(context, run, this.time, this.colours, width, height, kept));
    });
    this.sides.replaceChildren(...runs.map((run, i) => el("div", { class: "side" }, el("h3", null, labels[i]), el("div", { class: "room" }, this.#pictures[i].canvas))));
    if (first || this.time > this.to) this.time = still.matches ? Math.min(this.limit, 0.3 * this.to) : this.from;
    this.#fit();
    this.seek(this.time);
    this.#wake();
  }

  /** A time that the reader asks for. */
  show(time) {
    this.touched = true;
    this.pause();
    this.seek(time);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.from), this.limit);
    this.draw();
    this.#write();
    this.#tell();
  }

  #fit() {
    const all = [this.strip, ...this.#pictures];
    for (const one of all) one.measure();
    for (const one of all) one.fit();
    this.strip.redraw();
  }

  draw() {
    for (const one of this.#pictures) one.redraw();
    this.head.style.transform = `translateX(${stripLeft + this.#part() * (this.strip.width - stripLeft - 8) - 1}px)`;
  }

  #part() {
    return (this.time - this.from) / (this.to - this.from);
  }

  /** The clock and its slider: text costs a layout, so that not every frame writes it. */
  #write() {
    const part = this.#part();
    this.slider.value = Math.round(part * 1000);
    this.clock.textContent = `${(this.time / 1000).toFixed(this.to - this.from < 1e5 ? 2 : 1)} ms`;
    this.slider.setAttribute("aria-valuetext", this.clock.textContent);
  }

  /** What is to be seen, for those who do not see it; not while it moves. */
  #tell() {
    if (this.playing || !this.runs.length) return;
    const texts = this.runs.map((run, i) => `${this.labels[i]}: ${sideWords(run, this.time)}`);
    this.words.textContent = `At ${this.clock.textContent}. ${texts.join(" ")}`;
    this.#pictures.forEach((one, i) => one.canvas.setAttribute("aria-label", `SMs, queues and flows under ${texts[i]}`));
    this.strip.canvas.setAttribute("aria-label", `When kernels of each application ran, under ${this.labels.join(" and under ")}; the jobs are in the table below.`);
  }

  start() {
    if (!this.runs.length) return;
    if (this.time >= this.limit) this.time = this.from;
    this.playing = true;
    this.button.textContent = "⏸ Pause";
    this.#last = performance.now();
    requestAnimationFrame((now) => this.#frame(now));
  }

  pause() {
    this.playing = false;
    this.button.textContent = "▶ Play";
    this.#write();
    this.#tell();
  }

  #frame(now) {
    if (!this.playing) return;
    const passed = Math.min(now - this.#last, 100); // in a page that was hidden no time passes
    this.#last = now;
    this.time = Math.min(this.time + (passed / 1000) * this.#speed * ((this.to - this.from) / this.#seconds), this.limit);
    this.draw();
    if (now - this.#shown > 100) {
      this.#shown = now;
      this.#write();
    }
    if (this.time >= this.limit) this.pause();
    else requestAnimationFrame((next) => this.#frame(next));
  }
}
