// A figure of what is seen, as SVG or PNG: the network, what is above it, and its legend.

import type { Mark } from "./marks";
import { paintAbove, paintNetwork } from "./paint";
import { CanvasPen, corners, emptySvg, type Pen, SvgPen } from "./pen";
import type { Heat, Picture } from "./picture";
import type { Sight } from "./sight";
import { along, type Theme } from "./theme";
import { change, quantity } from "./words";

export interface Figure {
  readonly sight: Sight;
  readonly picture: Picture;
  readonly marks: readonly Mark[];
  readonly theme: Theme;
  readonly heat: Heat | null;
  readonly unit: string;
  readonly title: string;
}

/** Room for the title above and the legend below, in CSS pixels. */
const [HEAD, FOOT] = [30, 40];
/** A PNG has so many pixels to a CSS pixel. */
const SHARP = 2;

/** Figures of several drawings beside one another. */
export function svgFigure(figures: readonly Figure[]): SVGSVGElement {
  const { width, height, theme } = measured(figures);
  const svg = emptySvg(width, height, theme.page);
  let left = 0;
  for (const figure of figures) {
    const { size } = figure.sight;
    const frame = nested(svg, left, 0, size.width, height);
    paintWords(new SvgPen(frame), figure, height);
    const inner = nested(frame, 0, HEAD, size.width, size.height);
    const pen = new SvgPen(inner);
    paintNetwork(pen, figure.sight, figure.picture);
    paintAbove(pen, figure.sight, figure.picture, figure.marks, theme);
    left += size.width;
  }
  return svg;
}

export function svgText(figures: readonly Figure[]): string {
  return new XMLSerializer().serializeToString(svgFigure(figures));
}

export function pngFigure(figures: readonly Figure[]): Promise<Blob | null> {
  const { width, height, theme } = measured(figures);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SHARP, height * SHARP];
  const to = canvas.getContext("2d");
  if (!to) return Promise.resolve(null);
  to.scale(SHARP, SHARP);
  const pen = new CanvasPen(to);
  pen.shape(corners(0, 0, width, height), theme.page, 1);
  for (const figure of figures) {
    const { size } = figure.sight;
    paintWords(pen, figure, height);
    to.save();
    to.translate(0, HEAD);
    to.beginPath();
    to.rect(0, 0, size.width, size.height);
    to.clip();
    paintNetwork(pen, figure.sight, figure.picture);
    paintAbove(pen, figure.sight, figure.picture, figure.marks, theme);
    to.restore();
    to.translate(size.width, 0);
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Let the browser save a file. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function measured(figures: readonly Figure[]): { width: number; height: number; theme: Theme } {
  const first = figures[0] as Figure;
  return {
    width: figures.reduce((sum, figure) => sum + figure.sight.size.width, 0),
    height: Math.max(...figures.map((figure) => figure.sight.size.height)) + HEAD + FOOT,
    theme: first.theme,
  };
}

/** Part of an SVG with its own edges, which nothing in it crosses. */
function nested(parent: SVGElement, x: number, y: number, width: number, height: number): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ x, y, width, height })) svg.setAttribute(key, String(value));
  parent.append(svg);
  return svg;
}

function paintWords(pen: Pen, figure: Figure, height: number): void {
  const { theme } = figure;
  pen.text(12, HEAD / 2 + 2, figure.title, { colour: theme.text, size: 14, isBold: true });
  if (figure.heat) paintLegend(pen, figure.heat, figure.unit, theme, 12, height - FOOT + 8);
}

/** The colours of loads with what the first and the last stand for. */
export function paintLegend(pen: Pen, heat: Heat, unit: string, theme: Theme, left: number, top: number): void {
  const steps = 48;
  const width = 200;
  const colours = heat.isDifference ? theme.difference : theme.heat;
  for (let at = 0; at < steps; at++) {
    const from = left + (at * width) / steps;
    const colour = along(colours, at / (steps - 1));
    pen.shape(corners(from, top, from + width / steps + 0.5, top + 9), colour, 1);
  }
  const letters = { colour: theme.text, size: 11 };
  const first = heat.isDifference ? change(-heat.end) : "0";
  const last = heat.isDifference ? change(heat.end) : quantity(heat.end);
  pen.text(left, top + 18, first, { ...letters, align: "left" });
  if (heat.isSteep && heat.end > 3) {
    const middle = Math.round(Math.expm1(Math.log1p(heat.end) / 2));
    pen.text(left + width / 2, top + 18, quantity(middle), { ...letters, align: "center" });
  }
  if (heat.isDifference) pen.text(left + width / 2, top + 18, "as before", { ...letters, align: "center" });
  pen.text(left + width, top + 18, last, { ...letters, align: "right" });
  pen.text(left + width + 6, top + 5, unit, letters);
}
