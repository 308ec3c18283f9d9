// node same_bytes.mjs COTENANT CORE SOURCE [all]: the same command lines native and as WebAssembly give the same exit
// codes, the same standard output and error and the same files. CORE is the folder that scripts/lessons built. With "all" every shipped workload under every policy, and fifty seeds of each exercise.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runNative } from "./native.mjs";

const [program, coreFolder, source, extent] = process.argv.slice(2);
const { openCore } = createRequire(import.meta.url)(`${coreFolder}/core.js`);
const core = openCore(() => readFileSync(`${coreFolder}/core.tar.gz`), readFileSync(`${coreFolder}/version`, "utf8").trim());
const list = (what) => JSON.parse(execFileSync(program, ["list", what, "--format", "json"])).map((row) => row.name ?? row.policy);
const policies = list("policies");
const exercises = JSON.parse(execFileSync(program, ["exercise", "--format", "json"])).map((row) => row.name);
const short = ["--set", `duration_s=${extent === "all" ? 2 : 0.5}`, "--set", "warmup_s=0.2"];

/** Command lines that both can answer. */
function* commands() {
    const quick = "workloads/quickstart.json";
    const seeds = extent === "all" ? 50 : 1;
    yield ["run", quick, "--policy", "baymax", "--format", "json", "--timeline", "t.json", ...short];
    for (const policy of ["mps", "baymax", "cqos", "hsm-qos"])
        yield ["run", quick, "--policy", policy, "--fidelity", "block", "--format", "json", ...short];
    // As repro.same_bytes, in which this program stands for one of another compiler.
    yield ["compare", "pair.json", "--policies", "fifo,timeslice,mps,mps-priority,priority,even,baymax,laius,hsm-qos,dase-fair,themis-fair,os-sched,coop,cqos", "--reps", "1", "--format", "json", ...short];
    yield ["compare", quick, "--policies", "mps,timeslice,priority,mps-priority,baymax,baymax-plus,laius", "--reps", "2", ...short];
    for (const name of exercises)
        for (let seed = 1; seed <= seeds; seed++)
            yield ["exercise", name, "--seed", String(seed), "--format", "json", "-c"];
    if (extent === "all")
        for (const workload of readdirSync(`${source}/workloads`).filter((name) => name.endsWith(".json")))
            for (const policy of policies)
                yield ["run", `workloads/${workload}`, "--policy", policy, "--format", "json", ...short];
}

/** What is not in the core, as files of a run: networks and, where all is tried, recordings. */
function beyondCore() {
    const files = {...pair};
    for (const [from, to] of [["src/models/themis", "themis"], ...(extent === "all" ? [["traces", "traces"]] : [])])
        for (const name of readdirSync(`${source}/${from}`).filter((entry) => /\.(db|csv|json)$/.test(entry)))
            files[`${to}/${name}`] = readFileSync(`${source}/${from}/${name}`);
    return files;
}

/** Where two texts part, with what stands there. */
function parting(a, b) {
    let at = 0;
    while (at < a.length && a[at] === b[at])
        at++;
    return `at byte ${at}: native '${a.slice(at - 60, at + 40)}', WebAssembly '${b.slice(at - 60, at + 40)}'`;
}

/** Without the lines that say how far a slow run is. */
const withoutProgress = (text) => text.replaceAll(/^.*: [\d.]+ %(, some .* left| after .*: nothing is over yet)\n/gm, "");

function differences(nativeAnswer, wasmAnswer) {
    const [native, wasm] = [nativeAnswer, wasmAnswer].map((answer) => ({...answer, stderr: withoutProgress(answer.stderr)}));
    const found = [];
    if (native.code !== wasm.code)
        found.push(`exit code ${native.code} and ${wasm.code}`);
    for (const stream of ["stdout", "stderr"])
        if (native[stream] !== wasm[stream])
            found.push(`${stream} ${parting(native[stream], wasm[stream])}`);
    for (const name of new Set([...Object.keys(native.files), ...Object.keys(wasm.files)])) {
        const [a, b] = [native.files[name], wasm.files[name]].map((bytes) => bytes && Buffer.from(bytes));
        if (!a || !b || !a.equals(b))
            found.push(`${name} ${a && b ? parting(a.toString(), b.toString()) : "is in one alone"}`);
    }
    return found;
}

let failed = 0, count = 0, bytes = 0;
const pair = {"pair.json": readFileSync(`${source}/tests/repro/repro_pair.json`)};
const given = beyondCore();
const fail = (argv, what) => (failed++, console.log(`${argv.join(" ")}: ${what}`));
for (const argv of commands()) {
    const native = await runNative(program, source, argv, pair), wasm = await core.run(argv, given);
    count++;
    bytes += native.stdout.length;
    for (const what of differences(native, wasm))
        fail(argv, what);
    if (native.stdout === "" && native.code === 0)
        fail(argv, "says nothing");
}

// A store of either has the same rows; its file is that of another SQLite.
{
    const argv = ["run", "workloads/quickstart.json", "--policy", "baymax", "--quiet", "--output", "results.db", ...short];
    const stores = [await runNative(program, source, argv), await core.run(argv)].map(({files}) => files["results.db"]);
    for (const question of [["report", "results.db", "--format", "json"], ["explain", "results.db", "--decisions", "--format", "csv"], ["export", "results.db", "--output", "."]]) {
        const [native, wasm] = await Promise.all(stores.map((store) => runNative(program, source, question, {"results.db": store})));
        for (const what of differences(native, wasm))
            fail([...argv, "and", ...question], what);
        if (native.code !== 0 || native.stdout.length + Object.keys(native.files).length === 0)
            fail(question, `says nothing of a store: ${native.stderr}`);
    }
}

// What a browser has not is said, with an exit code.
for (const [argv, code, sentence] of [
    [["run", "workloads/quickstart.json", "--policy", "./mine.so"], 2, "WebAssembly loads no shared objects"],
    [["run", "workloads/quickstart.json", "--policy", "mps", "--isolate-policy"], 3, "cannot make a process"],
]) {
    const wasm = await core.run(argv);
    if (wasm.code !== code || !wasm.stderr.includes(sentence))
        fail(argv, `ends with ${wasm.code} and says '${wasm.stderr}' instead of '${sentence}'`);
}
core.close();
console.log(`${count} command lines, ${bytes} bytes, ${failed} differences`);
process.exit(failed || !count ? 1 : 0);
