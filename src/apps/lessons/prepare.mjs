// What the program answers to the page's first scene, so that it is drawn before the program has started in the browser:
// node prepare.mjs BUILD writes BUILD/data.json. BUILD has core.js and core.tar.gz (scripts/lessons).
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import vm from "node:vm";

const [build] = process.argv.slice(2);
const here = new URL("./", import.meta.url);
const { openCore } = createRequire(import.meta.url)(resolve(build, "core.js"));
const core = openCore(() => readFileSync(`${build}/core.tar.gz`), "");
const context = vm.createContext({ page: {}, core, TextDecoder });
for (const path of ["results.js", "scene.js", "scenes/waves.js"]) vm.runInContext(readFileSync(new URL(path, here), "utf8"), context, path);
const prepared = await vm.runInContext(
  `(async () => {
    const [scene] = scenes;
    const values = Object.fromEntries(scene.sliders.map((slider) => [slider.key, slider.value]));
    await Promise.all(scene.sides.map((_, side) => simulate(question(scene, values, side))));
    return Promise.all([...answers].map(async ([question, answer]) => ({ question, answer: await answer })));
  })()`,
  context,
);
const decoder = new TextDecoder();
for (const { answer } of prepared) // the store is left out: it is made anew where it is asked for
  answer.files = Object.fromEntries(Object.entries(answer.files).filter(([path]) => !path.endsWith(".db")).map(([path, bytes]) => [path, decoder.decode(bytes)]));
writeFileSync(`${build}/data.json`, JSON.stringify({ prepared }));
core.close();
