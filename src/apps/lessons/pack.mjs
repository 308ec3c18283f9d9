// One page that loads nothing: node pack.mjs BUILD OUTPUT [CORE.js]. BUILD has what scripts/lessons made: core.tar.gz, version, and, if
// the page has some, data.json. page.json names the files that become the page. A test's CORE.js defines another `core`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const [build, output, otherCore] = process.argv.slice(2);
const here = new URL("./", import.meta.url);
const read = (path) => readFileSync(new URL(path, here), "utf8");
const { page, style, library, script } = JSON.parse(read("page.json"));
const join = (paths) => paths.map(read).join("\n");

// A browser that reads one character above ASCII keeps all of a page, the archive of 2 MB too, in two bytes a character, and is half as
// fast with it: they are written in the escapes of their language.
const escaped = (text, above, escape) => text.replaceAll(above, (letter) => escape(letter.codePointAt(0).toString(16).padStart(4, "0")));
const inStyle = (text) => escaped(text, /[^\0-\x7f]/gu, (code) => `\\${code} `);
const inScript = (text) => escaped(text, /[^\0-\x7f]/g, (code) => `\\u${code}`); // halves of pairs by themselves
const inText = (text) => escaped(text, /[^\0-\x7f]/gu, (code) => `&#x${code};`);

const data = existsSync(`${build}/data.json`) ? readFileSync(`${build}/data.json`, "utf8") : "{}";
const ownCore = () => ({
    core: inScript(`${read("core.js")}\nconst core = openEmbeddedCore("${readFileSync(`${build}/version`, "utf8").trim()}");`),
    archive: readFileSync(`${build}/core.tar.gz`).toString("base64"),
});
const parts = {
    style: inStyle(join(style)),
    data: inScript(data.trim().replaceAll("<", "\\u003c")),
    library: inScript(join(library)),
    script: inScript(join(script)),
    ...(otherCore ? { core: readFileSync(otherCore, "utf8"), archive: "" } : ownCore()),
};
for (const [name, text] of Object.entries(parts))
    if (name !== "data" && /<\/(script|style)/i.test(text))
        throw new Error(`{${name}} would end its element`);
writeFileSync(output, inText(read(page)).replace(/\{(style|data|library|core|script|archive)\}/g, (_, name) => parts[name]));
