// Blocks and waves: time over SMs is a staircase.
"use strict";

addScene({
  id: "waves",
  title: "Blocks and waves",
  before: [
    "A [[kernel]] is a grid of [[thread block|thread blocks]]. The GPU below, a V100, has 80 [[SM|SMs]], the squares; two blocks of this kernel fit on each. What finds no room waits, and goes where a block ends: the kernel runs in [[wave|waves]].",
    "Both sides run the same kernel. On the right it may use only some of the SMs, as with a [[cap]] of [[MPS]].",
  ],
  workload: () => ({
    schema: "cotenant.workload/1", name: "waves", gpu: "v100", duration_s: 0.5, warmup_s: 0, fidelity: "block",
    apps: [{ name: "kernel", stop: "first-run", synthetic: { blocks: 240, threads: 1024, duration_ms: 4 } }],
  }),
  sliders: [
    { key: "cap", label: "SMs that the right side may use", unit: "%", least: 20, most: 100, step: 1, value: 75 },
    { key: "blocks", label: "Blocks of the kernel", unit: "", least: 40, most: 640, step: 10, value: 240, set: (value) => `apps.kernel.synthetic.blocks=${value}` },
  ],
  sides: [
    { label: () => "All 80 SMs", policy: () => "mps" },
    { label: (values) => `${Math.round(0.8 * values.cap)} of 80 SMs`, policy: (values) => `mps-caps:caps=kernel=${values.cap}` },
  ],
  seconds: 8,
  window: () => [0, 10],
  until: () => 1.6,
  guess: {
    question: "With all SMs the kernel takes 4 ms. How long does it take with as many as the right side may use?",
    unit: "ms", least: 1, most: 20, step: 0.1, start: 5,
    truth: ({ runs }) => runs[1].app("kernel").latency_ms.max,
  },
  after: ({ values }) => [
    `Two blocks fit on an SM, so ${Math.round(0.8 * values.cap)} SMs hold ${2 * Math.round(0.8 * values.cap)} at a time: ${values.blocks} blocks need ${counted(Math.ceil(values.blocks / (2 * Math.round(0.8 * values.cap))), "wave")}, where all 80 SMs need ${Math.ceil(values.blocks / 160)}. A wave takes as long whether it is full or not.`,
    "That is why time over SMs is a staircase and not a slope: between two steps SMs make no difference, and one SM less at an edge costs a whole wave. A policy that gives SMs away looks for such edges ([[quota]]).",
  ],
  curve: {
    title: "Time of the kernel over the SMs that it may use", x: "SMs, %", y: "ms", key: "cap", line: "step-before",
    values: [20, 22, 25, 28, 30, 32, 34, 37, 38, 40, 43, 45, 49, 50, 55, 60, 65, 70, 74, 75, 80, 85, 90, 95, 99, 100],
    of: (value) => `caps=kernel=${value}`,
    policies: () => ["mps-caps"],
    number: (row) => Number(row.mean_ms),
    at: (values) => values.cap,
  },
  numbers: [
    { title: "Time, ms", of: (app) => app.latency_ms.max },
    { title: "Alone, ms", of: (app) => app.solo_ms },
    { title: "Progress", of: (app) => app.normalised_progress },
  ],
});
