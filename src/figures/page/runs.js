// The runs that a page of results shows, their names, applications and targets.
"use strict";

// A sweep has runs at several points, told apart by the values of its axes; "?point=N" says whose page it is.
const everyRun = page.runs.map((run) => ({ ...run, ...run.report[0] }));
const points = [...new Map(everyRun.filter((run) => run.point).map((run) => [run.point, { number: run.point, values: run.values }])).values()];
const lastStep = (key) => key.slice(key.lastIndexOf(".") + 1).replaceAll("_", " ");
const allAxes = [...new Set(points.flatMap((point) => Object.keys(point.values)))];
const axes = allAxes.filter((key) => new Set(points.map((point) => point.values[key])).size > 1);
/** The last step of a key, behind the application that it is about where the workload has another one that could be meant. */
function briefKey(key) {
  const own = everyRun[0].apps.find((app) => key.startsWith(`apps.${app.name}.`));
  const served = own && /^(arrivals\.|qos_ms$)/.test(key.slice(`apps.${own.name}.`.length));
  const others = own && everyRun[0].apps.some((app) => app !== own && (!served || app.role === "service"));
  return others ? `${own.name} ${lastStep(key)}` : lastStep(key);
}
const axisName = (key) => (allAxes.some((other) => other !== key && briefKey(other) === briefKey(key)) ? key : briefKey(key));
const nameOfPoint = (point, except) => axes.filter((key) => key !== except && key in point.values).map((key) => `${axisName(key)} ${point.values[key]}`).join(", ");
const asked = Number(new URLSearchParams(location.search).get("point"));
const chosenPoint = points.find((point) => point.number === asked) ?? points[0];

const runs = everyRun.filter((run) => !chosenPoint || run.point === chosenPoint.number).map((run, index) => ({ ...run, index }));
if (chosenPoint) page.comparisons = page.comparisons.filter((one) => one.differences[0]?.point === chosenPoint.number);

/** Policies by name; where two have the same one, what sets them apart is added. */
function nameRuns(items) {
  const traits = [
    (run) => run.gpu,
    (run) => run.workload,
    (run) => `seed ${run.seed}`,
    (run) => run.set ?? "",
    (run) => (page.stores > 1 ? `store ${run.store}` : ""),
    (run) => { const same = items.filter((other) => other.policy === run.policy); return `${same.indexOf(run) + 1} of ${same.length}`; },
  ];
  for (const run of items) {
    const parts = [run.policy];
    let alike = items.filter((other) => other.policy === run.policy);
    for (const trait of traits) {
      if (alike.every((other) => trait(other) === trait(run))) continue;
      if (trait(run)) parts.push(trait(run));
      alike = alike.filter((other) => trait(other) === trait(run));
    }
    run.label = parts.join(", ");
  }
}
nameRuns(runs);

// Runs whose jobs, decisions and curves are here: the runs above, or others of the same stores.
const details = page.details.map((detail, index) => ({ ...detail, index, policy: detail.policy }));
for (const detail of details) detail.label = detail.run === null ? null : runs[detail.run].label;
const further = details.filter((detail) => detail.run === null);
nameRuns(further);
for (const detail of further) detail.label += `, single run of ${show(detail.duration_s, "s")}`;

/** "replication 0 of 0 to 4" where a run is one of several, numbered as everywhere else. */
const whichReplication = (detail) =>
  detail.replications > 1 ? ` (replication ${detail.replication} of 0 to ${detail.replications - 1})` : "";

const labelOfDetail = (detail) => `${detail.label}${whichReplication(detail)}`;

const appNames = [...new Set(runs.flatMap((run) => run.apps.map((app) => app.name)))];
const appOf = (run, name) => run.apps.find((app) => app.name === name);
const hasTarget = (app) => known(app.qos_ms);
const services = appNames.filter((name) => runs.some((run) => appOf(run, name)?.role === "service"));
const targeted = appNames.filter((name) => runs.some((run) => appOf(run, name) && hasTarget(appOf(run, name))));

/** What the stored jobs of an application are, where its report counts other things: "" where it does not. */
function jobsAre(name) {
  const app = runs.map((run) => appOf(run, name)).find((one) => one?.server);
  const what = app?.tokens ? "the steps in which it generates tokens, each for all the requests that are in it" : "its batches, each as old as its oldest request";
  return app ? `Jobs of ${name} are here ${what}; the tables of the summary are of requests.` : "";
}
/** Their target: a step has not that of a whole request. */
const targetOfJobs = (app) => (app?.tokens ? null : app?.qos_ms);
const appIndex = (name) => appNames.indexOf(name);

/** What whole runs are compared by: [key of the report, words]. */
const systemMeasures = [["stp", "STP"], ["antt", "ANTT"], ["fairness", "Fairness"], ["batch_throughput_normalised", "Batch throughput"], ["sm_utilisation", "SM use"]];

// ---- Bounds: marks of numbers that grow or fall with the length of the run ----

const bound = (app) => (app.overloaded === true ? ">" : "");

/** Progress of a service is latencies alone over latencies: at most that, while it alone keeps up. */
const boundOfProgress = (app) => (app.role === "service" && app.overloaded === true && app.alone_overloaded !== true ? "<" : "");

/** So are sums of progress; of fairness it is known where the largest progress is no bound. */
function boundOfSystem(run, key) {
  const some = run.apps.filter(boundOfProgress);
  if (!some.length || run.apps.some((app) => app.role === "service" && app.overloaded === true && !boundOfProgress(app))) return "";
  const largest = Math.max(...run.apps.filter((app) => !boundOfProgress(app)).map((app) => app.normalised_progress ?? 0));
  const fair = some.every((app) => app.normalised_progress <= largest);
  return { stp: "<", antt: ">", fairness: fair ? "<" : "" }[key] ?? "";
}
