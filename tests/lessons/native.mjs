// The native program as core.run of the lessons answers: {code, stdout, stderr, files}, files as Buffers.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const shipped = ["workloads", "traces"];

function filesOf(folder, given) {
  const left = {};
  for (const name of readdirSync(folder)) if (!shipped.includes(name) && !(name in given)) left[name] = readFileSync(join(folder, name));
  return left;
}

async function readAll(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/** In a folder of its own with what ships in `source`, and `files`: {path: string or bytes}. */
export async function runNative(program, source, argv, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), "lessons-"));
  for (const name of shipped) symlinkSync(join(source, name), join(folder, name));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const child = spawn(program, argv, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const texts = [child.stdout, child.stderr].map(readAll);
  const code = await new Promise((resolve) => child.on("close", resolve));
  const [stdout, stderr] = await Promise.all(texts);
  const left = filesOf(folder, files);
  rmSync(folder, { recursive: true });
  return { code, stdout, stderr, files: left };
}
