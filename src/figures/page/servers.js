// What servers in front of applications did: drops, batches, and tokens where they generate some.
"use strict";

const serverNumber = (title, get) => ({ title, value: ({ app }) => get(app) });
const serverPart = (title, get) => ({ title, number: true, cell: ({ app }) => percent(get(app)), sort: ({ app }) => get(app) });
const serverWhose = [
  { title: "Policy", cell: ({ run }) => run.label, sort: ({ run }) => run.label },
  { title: "Application", cell: ({ app }) => app.name, sort: ({ app }) => app.name },
];

/** The sizes that most batches had: "of 8: 41 %". */
function sizesOf(app) {
  const sizes = Object.entries(app.batch_sizes ?? {}).sort((a, b) => b[1] - a[1]);
  return sizes.slice(0, 3).map(([size, count]) => `of ${size}: ${percent(count / app.server.batches)}`).join(", ");
}

function serverTable(rows) {
  const columns = [
    ...serverWhose,
    serverNumber("Good/s", (app) => app.server.goodput_per_s),
    serverPart("Dropped", (app) => app.server.dropped_fraction),
    serverNumber("Batches", (app) => app.server.batches),
    serverNumber("Requests of one, mean", (app) => app.server.batch_mean),
    { title: "Most of them", cell: ({ app }) => sizesOf(app), sort: ({ app }) => sizesOf(app) },
    serverNumber("In the queue, ms", (app) => app.server.queue_ms),
  ];
  return table("Servers: requests and their batches", columns, rows);
}

function tokenTable(rows) {
  const columns = [
    ...serverWhose,
    serverNumber("Tokens/s", (app) => app.tokens.per_s),
    serverNumber("First token p50, ms", (app) => app.tokens.first_ms_p50),
    serverNumber("p99", (app) => app.tokens.first_ms_p99),
    serverNumber("Each after it p50, ms", (app) => app.tokens.each_ms_p50),
    serverNumber("p99", (app) => app.tokens.each_ms_p99),
    serverNumber("Longest gap p99, ms", (app) => app.tokens.longest_ms_p99),
    serverNumber("Recomputes", (app) => app.tokens.recomputes),
    serverNumber("Swaps", (app) => app.tokens.swaps),
    serverPart("Cache used", (app) => app.tokens.cache_used),
  ];
  return table("Tokens: times of requests that ended", columns, rows);
}

function serversSection() {
  const rows = runs.flatMap((run) => run.apps.map((app) => ({ run, app }))).filter(({ app }) => app.server);
  const generating = rows.filter(({ app }) => app.tokens);
  if (!rows.length) return;
  section("servers", "Servers", serverTable(rows), generating.length ? tokenTable(generating) : null);
}
