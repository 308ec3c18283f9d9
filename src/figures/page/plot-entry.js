// What the page uses of Observable Plot; refresh.sh makes plot.js of it.
export { plot, areaY, barX, dot, frame, line, link, pointer, pointerX, ruleX, ruleY, stackY, text, tickX, tip } from "@observablehq/plot";
