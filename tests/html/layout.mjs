// What a reader would stumble over on a page, whatever it is about: text that lies on other text, that leaves its box, or that is
// hard to tell from what is behind it. Runs in the page; returns sentences.
export function layoutFaults() {
  const faults = [];
  const slack = 2; // pixels: glyphs do not fill their line
  const shorten = (text) => text.trim().replace(/\s+/g, " ").slice(0, 40);

  // ---- Where text is: a rectangle per line of every text node, cut where an ancestor scrolls it out of sight ----

  const clips = (style) => /(auto|scroll|hidden|clip)/.test(style.overflowX + style.overflowY);
  function seen(rect, node) {
    let { left, top, right, bottom } = rect;
    for (let up = node.parentElement; up && up !== document.body; up = up.parentElement) {
      if (up instanceof SVGElement || !clips(getComputedStyle(up))) continue;
      const box = up.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return right - left > slack && bottom - top > slack ? { left, top, right, bottom } : null;
  }
  const visible = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || !visible(parent) || parent.closest("script, noscript, option, nav, .skip, [aria-label=tip]")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const box = seen(rect, node);
      if (box) texts.push({ ...box, full: rect, parent, text: shorten(node.data) });
    }
  }

  // ---- Text on text ----

  texts.sort((a, b) => a.top - b.top);
  texts.forEach((one, i) => {
    for (let j = i + 1; j < texts.length && texts[j].top < one.bottom - slack; j++) {
      const other = texts[j];
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      const lines = Math.min(one.bottom - one.top, other.bottom - other.top);
      if (across > slack && down > 0.3 * lines) faults.push(`“${one.text}” lies on “${other.text}”`);
    }
  });

  // ---- Text outside of its box ----

  for (const { full, parent, text } of texts) {
    const box = parent.closest("td, th, button, label, summary, svg, li, p, figcaption, h1, h2, h3, h4, dd, dt, legend, caption");
    if (!box) continue;
    const outer = box.getBoundingClientRect();
    const room = box.closest(".scroller, pre") ? { left: -Infinity, right: Infinity } : { left: 0, right: innerWidth };
    const left = Math.max(outer.left, room.left);
    const right = Math.min(outer.right, room.right);
    if (full.left < left - slack || full.right > right + slack || full.top < outer.top - 4 || full.bottom > outer.bottom + 4)
      faults.push(`“${text}” leaves its ${box.tagName.toLowerCase()}: ${[full.left - left, right - full.right, full.top - outer.top, outer.bottom - full.bottom].map((v) => Math.round(v)).join(" ")}`);
  }

  // ---- Contrast: at least 4.5 to 1 (WCAG 2.1, 1.4.3), whatever the size ----

  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  function ground(element) {
    for (let up = element; up; up = up.parentElement) {
      const colour = rgba(getComputedStyle(up).backgroundColor);
      if (!(up instanceof SVGElement) && colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  }
  const known = new Set();
  for (const { parent, text } of texts) {
    if (parent.closest(":disabled")) continue;
    const style = getComputedStyle(parent);
    const ink = parent instanceof SVGElement ? style.fill : style.color;
    const paper = ground(parent);
    const key = `${ink} ${paper}`;
    if (known.has(key)) continue;
    known.add(key);
    const [a, b] = [light(rgba(ink)), light(paper)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faults.push(`“${text}” has a contrast of ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return [...new Set(faults)];
}
