// What a reader would stumble over on a page or a figure, whatever it is about: text that lies on other text, that leaves its box, or that is
// hard to tell from what is behind it. `layoutFaults` is a program for the page, made of the functions below; it gives sentences.

/** How a page is looked at: each width and each colour scheme once, or (COTENANT_LOOKS_ALL=1) all four pairs. */
export const looks = [{ width: 1400, colorScheme: "light" }, { width: 390, colorScheme: "dark" }];
export const allLooks = process.env.COTENANT_LOOKS_ALL === "1";
if (allLooks) looks.push({ width: 1400, colorScheme: "dark" }, { width: 390, colorScheme: "light" });

const slack = 2; // pixels: glyphs do not fill their line
const pixels = new Map(); // of colours

/** A rectangle without what ancestors of its text scroll out of sight; null: nothing is left. */
function seen(rect, node) {
  let { left, top, right, bottom } = rect;
  for (let up = node.parentElement; up && up !== document.body; up = up.parentElement) {
    const style = getComputedStyle(up);
    if (up instanceof SVGElement || !/(auto|scroll|hidden|clip)/.test(style.overflowX + style.overflowY)) continue;
    const box = up.getBoundingClientRect();
    [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
  }
  return right - left > slack && bottom - top > slack ? { left, top, right, bottom } : null;
}

/** Where text is: a rectangle for each line of every text node that can be seen. */
function textsOf() {
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (parent.closest("script, noscript, option, nav, .skip")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const full of range.getClientRects()) {
      const box = seen(full, node);
      if (box) texts.push({ ...box, full, parent, text: node.data.trim().replace(/\s+/g, " ").slice(0, 40) });
    }
  }
  return texts.sort((a, b) => a.top - b.top);
}

/** Of a text that is neither level nor upright the rectangle around it is more than it takes. */
function isSlanted({ parent }) {
  const turn = parent.getCTM?.();
  return Boolean(turn) && Math.abs(turn.a) > 0.01 && Math.abs(turn.b) > 0.01;
}

/** The corners of what a text takes, turned as it is, without what may lie on another text. */
function cornersOf(one) {
  const slanted = isSlanted(one);
  const { x, y, width, height } = slanted ? one.parent.getBBox() : DOMRect.fromRect({ x: one.left, y: one.top, width: one.right - one.left, height: one.bottom - one.top });
  const turn = slanted ? one.parent.getScreenCTM() : new DOMMatrix();
  const [left, right, top, bottom] = [x + slack / 2, x + width - slack / 2, y + 0.15 * height, y + 0.85 * height];
  return [[left, top], [right, top], [right, bottom], [left, bottom]].map(([across, down]) => new DOMPoint(across, down).matrixTransform(turn));
}

/** Whether a side of one of two rectangles parts them. */
function areApart(a, b) {
  return [a, b].some((corners) => corners.some((corner, i) => {
    const next = corners[(i + 1) % 4];
    const along = (point) => (next.y - corner.y) * point.x - (next.x - corner.x) * point.y;
    const [first, second] = [a.map(along), b.map(along)];
    return Math.max(...first) <= Math.min(...second) || Math.max(...second) <= Math.min(...first);
  }));
}

function textOnText(texts) {
  const faults = [];
  texts.forEach((one, i) => {
    for (let j = i + 1; j < texts.length && texts[j].top < one.bottom - slack; j++) {
      const other = texts[j];
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      const line = Math.min(one.bottom - one.top, other.bottom - other.top);
      const slanted = isSlanted(one) || isSlanted(other);
      if (across > slack && (slanted ? !areApart(cornersOf(one), cornersOf(other)) : down > 0.3 * line)) faults.push(`“${one.text}” lies on “${other.text}”`);
    }
  });
  return faults;
}

function textOutside(texts) {
  const faults = [];
  for (const { full, parent, text } of texts) {
    const box = parent.closest("td, th, button, label, summary, svg, li, p, figcaption, h1, h2, h3, h4, dd, dt, legend, caption");
    if (!box) continue;
    const outer = box.getBoundingClientRect();
    const scrolls = box.closest(".scroller, pre");
    const left = scrolls ? outer.left : Math.max(outer.left, 0);
    const right = scrolls ? outer.right : Math.min(outer.right, innerWidth);
    const over = [left - full.left - slack, full.right - right - slack, outer.top - full.top - 4, full.bottom - outer.bottom - 4];
    if (over.some((pixels) => pixels > 0)) faults.push(`“${text}” leaves its ${box.tagName.toLowerCase()}: ${over.map((pixels) => Math.round(pixels)).join(" ")}`);
  }
  return faults;
}

function rgba(colour) {
  if (!pixels.has(colour)) {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    pixels.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
  }
  return pixels.get(colour);
}

/** Relative luminance (WCAG 2.1). */
function luminance(pixel) {
  const light = pixel.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

function groundOf(element) {
  for (let up = element; up; up = up.parentElement) {
    const pixel = up instanceof SVGElement ? [0, 0, 0, 0] : rgba(getComputedStyle(up).backgroundColor);
    if (pixel[3] === 255) return pixel;
  }
  return [255, 255, 255, 255];
}

/** At least 4.5 to 1 (WCAG 2.1, 1.4.3), whatever the size; what cannot be used is left out. */
function faintText(texts) {
  const parents = new Map(texts.filter((one) => !one.parent.closest(":disabled")).map((one) => [one.parent, one.text]));
  const ratios = new Map();
  const faults = [];
  for (const [parent, text] of parents) {
    const style = getComputedStyle(parent);
    const ink = parent instanceof SVGElement ? style.fill : style.color;
    const ground = parent.closest("tr, figure, section, body");
    const key = `${ink} ${parent.tagName} ${ground?.tagName}`;
    if (ratios.has(key)) continue;
    const [light, dark] = [luminance(rgba(ink)), luminance(groundOf(parent))].sort((a, b) => b - a);
    ratios.set(key, (light + 0.05) / (dark + 0.05));
    if (ratios.get(key) < 4.5) faults.push(`“${text}” has a contrast of ${ratios.get(key).toFixed(2)}`);
  }
  return faults;
}

const parts = [seen, textsOf, isSlanted, cornersOf, areApart, textOnText, textOutside, rgba, luminance, groundOf, faintText];
export const layoutFaults = `(() => {
  const slack = ${slack};
  const pixels = new Map();
  ${parts.map(String).join("\n")}
  const texts = textsOf();
  return [...new Set([...textOnText(texts), ...textOutside(texts), ...faintText(texts)])];
})()`;

/** For everybody: axe, layout and no sideways scrolling of a page as it is now, wide and narrow, light and dark. `axe`: the text of axe-core. */
export async function lookAt(page, axe, name, expect) {
  await page.addScriptTag({ content: axe });
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(1000);
    const violations = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }).then((result) => result.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`)));
    expect(!violations.length, `${name}: axe at ${width}, ${colorScheme}`, violations);
    const faults = await page.evaluate(layoutFaults);
    expect(!faults.length, `${name}: layout at ${width}, ${colorScheme}`, faults.slice(0, 5));
    expect((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${name}: no sideways scrolling at ${width}`);
  }
}
