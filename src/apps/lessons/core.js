"use strict";
/* The program cotenant in a page or in Node: openCore(archive, version) gives a core, core.run(argv, files) runs it. The
 * archive is core.tar.gz of the build: the program as WebAssembly, what starts it, and the files that ship with it; a function gives
 * it when the first run asks for it. */

const openCore = (() => {
    /** The files of a tar archive as {path: Uint8Array}; paths have at most 100 bytes. */
    function untar(bytes) {
        const decoder = new TextDecoder(), files = {};
        const field = (at, length) => decoder.decode(bytes.subarray(at, at + length)).replace(/\0[^]*$/, "");
        for (let at = 0; bytes[at];) {
            const size = parseInt(field(at + 124, 12), 8);
            if (field(at + 156, 1) === "0")
                files[field(at, 100)] = bytes.slice(at + 512, at + 512 + size);
            at += 512 + Math.ceil(size / 512) * 512;
        }
        return files;
    }

    async function gunzip(bytes) {
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    /** A thread that runs `source`: in a page a worker, from a Blob so that a page from a disk may start it. */
    function startThread(source, onMessage, onError) {
        if (typeof Worker === "function") {
            const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"})), worker = new Worker(url);
            worker.onmessage = (event) => onMessage(event.data);
            worker.onerror = (event) => onError(new Error(event.message));
            return worker;
        }
        const {Worker: Thread} = require("node:worker_threads"), thread = new Thread(source, {eval: true});
        thread.on("message", onMessage);
        thread.on("error", onError);
        return thread;
    }

    const processors = () =>
        typeof navigator === "object" && navigator.hardwareConcurrency || require("node:os").availableParallelism();

    /** What a thread needs: its source, and the message that it gets first. */
    async function unpack(archive) {
        const decoder = new TextDecoder(), files = untar(await gunzip(archive)), share = {};
        for (const [path, bytes] of Object.entries(files))
            if (path.startsWith("share/"))
                share[path.slice("share/".length)] = bytes;
        const source = decoder.decode(files["cotenant.js"]) + decoder.decode(files["worker.js"]);
        return {source, first: {module: await WebAssembly.compile(files["cotenant.wasm"]), share}};
    }

    class Core {
        #archive;
        #parts; // of the archive, once a run has asked for them
        #idle = []; // threads
        #threads = [];
        #waiting = []; // runs that no thread has taken yet

        constructor(archive, version) {
            this.version = version;
            this.#archive = archive;
        }

        /**
         * Runs the program in a folder that holds what ships (workloads, traces) and `files`.
         *   argv: arguments as strings, without the program's name; files: {path: string or Uint8Array}, paths from that folder.
         * Resolves to {code, stdout, stderr, files}: the exit code, two strings, and {path: Uint8Array} of all files that
         * the program wrote. Several runs may be under way. Rejects when the program did not come to its end.
         */
        async run(argv, files = {}) {
            const parts = await (this.#parts ??= Promise.resolve(this.#archive()).then(unpack));
            return new Promise((resolve, reject) => {
                this.#waiting.push({argv, files, resolve, reject});
                this.#next(parts);
            });
        }

        /** Ends all threads; runs that are under way never resolve. */
        close() {
            for (const {thread} of this.#threads)
                thread.terminate();
            this.#threads = [];
        }

        #start(parts) {
            const place = {};
            const end = (settle) => {
                const {run} = place;
                place.run = null;
                settle(run);
                this.#idle.push(place);
                this.#next(parts);
            };
            place.thread = startThread(parts.source,
                ({fault, ...result}) => end((run) => fault ? run.reject(new Error(fault)) : run.resolve(result)),
                (error) => end((run) => run && run.reject(error)));
            place.thread.postMessage(parts.first);
            this.#threads.push(place);
            return place;
        }

        #next(parts) {
            while (this.#waiting.length > 0 && (this.#idle.length > 0 || this.#threads.length < processors())) {
                const place = this.#idle.pop() || this.#start(parts);
                place.run = this.#waiting.shift();
                place.thread.postMessage({argv: place.run.argv, files: place.run.files});
            }
        }
    }

    /** archive: gives the bytes of core.tar.gz, as Uint8Array or a promise of it; version: the program's. */
    return (archive, version) => new Core(archive, version);
})();

/** The core of a page whose element `archive`, its last one, is core.tar.gz in base64: what comes before it need not wait for it. */
function openEmbeddedCore(version) {
    const isRead = new Promise((resolve) => document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", resolve) : resolve());
    return openCore(async () => {
        await isRead;
        const {textContent} = document.getElementById("archive");
        return new Uint8Array(await (await fetch(`data:application/octet-stream;base64,${textContent}`)).arrayBuffer());
    }, version);
}

if (typeof module === "object")
    module.exports = {openCore};
