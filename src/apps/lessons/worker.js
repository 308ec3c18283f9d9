/* Runs the program, one run after the other, each in a fresh instance. It follows cotenant.js in one source, which core.js
 * starts as a worker of the page or as a thread of Node. In: {module, share} once, then {argv, files}. Out, for each of the
 * latter: {code, stdout, stderr, files}, or {fault} of a program that did not come to its end. */

const home = "/cotenant"; // the working folder, and the one of what ships
const node = typeof self === "undefined" ? require("node:worker_threads").parentPort : null;
const shipped = {};

function put(FS, files) {
    for (const [path, content] of Object.entries(files)) {
        const full = `${home}/${path}`;
        FS.mkdirTree(full.slice(0, full.lastIndexOf("/")));
        FS.writeFile(full, content);
    }
}

/** Paths of all files below a folder, from `home`. */
function* list(FS, folder = home) {
    for (const name of FS.readdir(folder)) {
        const path = `${folder}/${name}`;
        if (name === "." || name === "..")
            continue;
        if (FS.isDir(FS.stat(path).mode))
            yield* list(FS, path);
        else
            yield path.slice(home.length + 1);
    }
}

function isSame(a, b) {
    return a !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** What the program left: files that are not, byte for byte, among those that it was given. */
function take(FS, given) {
    const encoder = new TextEncoder(), left = {};
    for (const path of list(FS)) {
        const bytes = FS.readFile(`${home}/${path}`);
        const before = typeof given[path] === "string" ? encoder.encode(given[path]) : given[path];
        if (!isSame(before, bytes))
            left[path] = bytes;
    }
    return left;
}

/** Standard output and error as files: the program writes them in blocks, and asks no terminal. */
function redirect(FS) {
    for (const [number, path] of [[1, "/stdout"], [2, "/stderr"]]) {
        FS.close(FS.getStream(number));
        FS.open(path, "w"); // gets the lowest number that is free
    }
}

async function runProgram(argv, files) {
    const given = {...shipped.share, ...files};
    const program = await createCotenant({
        thisProgram: "cotenant",
        preRun: [(module) => Object.assign(module.ENV, {COTENANT_SHARE: home, LANG: "C.UTF-8"})],
        instantiateWasm(imports, done) {
            WebAssembly.instantiate(shipped.module, imports).then((instance) => done(instance));
            return {};
        },
        quit(status, reason) {
            throw reason;
        },
    });
    const {FS} = program;
    put(FS, given);
    FS.chdir(home);
    redirect(FS);
    const code = program.callMain(argv);
    const [stdout, stderr] = ["/stdout", "/stderr"].map((path) => FS.readFile(path, {encoding: "utf8"}));
    return {code, stdout, stderr, files: take(FS, given)};
}

async function answer(message, post) {
    if (message.module)
        return void Object.assign(shipped, message);
    try {
        post(await runProgram(message.argv, message.files));
    } catch (fault) {
        post({fault: String(fault.stack || fault)});
    }
}

if (node)
    node.on("message", (message) => answer(message, (result) => node.postMessage(result)));
else
    self.onmessage = (event) => answer(event.data, (result) => self.postMessage(result));
