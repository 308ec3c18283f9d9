// In place of the core, where it was not built: page.mjs answers by the native program.
const core = {
  async run(argv, files = {}) {
    const packed = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, typeof content === "string" ? { text: content } : { bytes: btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join("")) }]));
    const answer = await askNative(argv, packed);
    return { ...answer, files: Object.fromEntries(Object.entries(answer.files).map(([name, text]) => [name, Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))])) };
  },
};
