// The words that scenes and exercises use, each on one line; every [[term]] leads here.
"use strict";

const glossary = {
  GPU: "The processor that applications share: SMs, one memory, and links to the host.",
  SM: "Streaming multiprocessor: one of the GPU's 20 to 140 processors. It runs the thread blocks that lie on it, side by side.",
  "thread block": "A part of a kernel, up to 1024 threads, that runs on one SM from its begin to its end. It is never moved while it runs.",
  kernel: "A function that runs on the GPU as a grid of thread blocks. It ends when its last block has.",
  wave: "As many blocks of a kernel as find room at a time. A kernel with more blocks than that runs in several waves, the last of which is rarely full.",
  occupancy: "How many blocks of a kernel an SM can hold, over what it could at most: threads, registers, shared memory and block slots each set a limit, and the scarcest decides.",
  stream: "A queue of an application: its kernels and copies run in the order in which they came.",
  copy: "Bytes that move between the host's memory and the GPU's, over the link.",
  link: "PCIe or NVLink between host and GPU; copies of all applications share it.",
  "device queue": "Where issued kernels wait for room on the SMs. What is in it can no longer be taken back.",
  "ready pool": "Where launched kernels wait until the policy issues them to the device.",
  policy: "The rules by which kernels of several applications are issued, and how the SMs are shared.",
  MPS: "Multi-Process Service: kernels of several applications run at the same time; each takes the room that those before it left.",
  leftover: "What a kernel's blocks leave free on the SMs; under MPS the next kernel in the order of arrival uses it.",
  cap: "The most SMs that an application may hold (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE). It bounds and reserves nothing, so caps may add up to more than 100 %.",
  quota: "The SMs that a policy gives a query's kernels: the fewest that keep its target.",
  "time slice": "Without MPS one application has the GPU at a time, for some milliseconds; the others' blocks lie still in the memory of their SMs.",
  "context switch": "The change from one application to another between two time slices; it takes time in which nobody runs.",
  priority: "Which application goes first. Blocks that wait go in that order; blocks that run stay.",
  preemption: "To take SMs from blocks that run. The policies here that only order what waits cannot do it.",
  service: "An application that answers queries, each within a target.",
  query: "One request to a service: copies and kernels, one after the other.",
  batch: "Work without a target: what counts is how much gets done.",
  target: "The latency that 99 of 100 queries must keep (QoS).",
  latency: "From the arrival of a query to its end, waiting included.",
  p99: "The 99th percentile of latency: 99 of 100 queries are as fast or faster.",
  tail: "The slowest queries, as the slowest 1 %.",
  load: "How many queries arrive, over how many could be served.",
  "open arrivals": "Queries come when they come, whether earlier ones are done or not.",
  "closed arrivals": "A client asks again only when it has its answer, so that never more than one of its queries waits.",
  progress: "Time alone over time shared: 1 is as fast as alone, 0.5 half as fast.",
  STP: "System throughput: the sum of the progress of all applications. More is better.",
  ANTT: "Average normalised turnaround time: the mean of time shared over time alone. 1 is best.",
  fairness: "The least progress over the largest. 1: all are slowed alike.",
  blame: "Where the time of a job went, and to whom: parts that add up to its latency.",
  bandwidth: "Bytes that the memory moves in a second. What all kernels ask for beyond it slows them all.",
  "row hit": "A request that finds its row of the memory open. A miss must open it first, which lowers the bandwidth; requests of several applications close each other's rows.",
  headroom: "The time that batch kernels may still take before the target of a query is in danger (Baymax).",
  prediction: "How long a kernel will take, by what was learnt beforehand; policies know that and not the truth.",
};

const termId = (term) => `term-${term.replaceAll(" ", "-")}`;

function termLink(term, words) {
  if (!(term in glossary)) throw new Error(`the glossary does not say what “${term}” is`);
  return el("a", { class: "term", href: `#${termId(term)}`, title: glossary[term] }, words);
}

function glossarySection() {
  section("glossary", "Glossary", el("dl", null, Object.entries(glossary).map(([term, words]) => [el("dt", { id: termId(term) }, term), el("dd", null, words)])));
}
