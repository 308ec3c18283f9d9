// What servers in front of applications did: drops, batches, and tokens where they generate some.
"use strict";

const serverNumber = (title, word, get) => ({ title, word, value: ({ app }) => get(app) });
const firstToken = (title, key) => ({ ...serverNumber(title, `tokens.${key}`, (app) => app.tokens[key]), around: (text, { app }) => marked(app.tokens.waiting === 0 ? "" : bound(app), text) });
const serverPart = (title, word, get) => percentColumn(title, word, ({ app }) => get(app));
const serverWhose = [
  { title: "Policy", word: "policy", cell: ({ run }) => run.label, sort: ({ run }) => run.label },
  { title: "Application", word: "app", cell: ({ app }) => app.name, sort: ({ app }) => app.name },
];

/** The sizes that most batches had: "of 8: 41 %". */
function sizesOf(app) {
  const sizes = Object.entries(app.batch_sizes ?? {}).sort((a, b) => b[1] - a[1]);
  return sizes.slice(0, 3).map(([size, count]) => `of ${size}: ${percent(count / app.server.batches)}`).join(", ");
}

function serverTable(rows) {
  const columns = [
    ...serverWhose,
    serverNumber("Good/s", "server.goodput_per_s", (app) => app.server.goodput_per_s),
    serverPart("Dropped, %", "server.dropped_fraction", (app) => app.server.dropped_fraction),
    serverNumber("Batches", "server.batches", (app) => app.server.batches),
    serverNumber("Requests of one, mean", "server.batch_mean", (app) => app.server.batch_mean),
    { title: "Most of them", word: "page.sizes", cell: ({ app }) => sizesOf(app), sort: ({ app }) => sizesOf(app) },
    serverNumber("In the queue, ms", "server.queue_ms", (app) => app.server.queue_ms),
  ];
  return table("Servers: requests and their batches", columns, rows);
}

/** The target of the p99 before it, where somebody has one, and its verdict. */
function tokenTarget(rows, which) {
  const [target, met] = [`${which}_target_ms`, `${which}_met`];
  if (!rows.some(({ app }) => known(app.tokens[target]))) return [];
  const word = ({ app }) => verdictOf({ qos_met: app.tokens[met] });
  return [
    serverNumber("Target, ms", `tokens.${target}`, (app) => app.tokens[target]),
    { title: "Verdict", word: `tokens.${met}`, cell: (row) => (known(row.app.tokens[target]) ? verdictMark(word(row)) : "–"), sort: word },
  ];
}

function tokenTable(rows) {
  const columns = [
    ...serverWhose,
    serverNumber("Tokens/s", "tokens.per_s", (app) => app.tokens.per_s),
    firstToken("First token p50, ms", "first_ms_p50"), firstToken("First token p99, ms", "first_ms_p99"),
    ...tokenTarget(rows, "first"),
    serverNumber("Each after it p50, ms", "tokens.each_ms_p50", (app) => app.tokens.each_ms_p50),
    serverNumber("Each after it p99, ms", "tokens.each_ms_p99", (app) => app.tokens.each_ms_p99),
    ...tokenTarget(rows, "each"),
    serverNumber("Longest gap p99, ms", "tokens.longest_ms_p99", (app) => app.tokens.longest_ms_p99),
    serverNumber("Recomputes", "tokens.recomputes", (app) => app.tokens.recomputes),
    serverNumber("Swaps", "tokens.swaps", (app) => app.tokens.swaps),
    serverPart("Cache used, %", "tokens.cache_used", (app) => app.tokens.cache_used),
  ];
  return table("Tokens: times of requests that ended", columns, rows);
}

function serversSection() {
  const rows = runs.flatMap((run) => run.apps.map((app) => ({ run, app }))).filter(({ app }) => app.server);
  const generating = rows.filter(({ app }) => app.tokens);
  if (!rows.length) return;
  section("servers", "Servers", serverTable(rows), generating.length ? tokenTable(generating) : null);
}
