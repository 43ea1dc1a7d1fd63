// One way to draw on a canvas and into an SVG: what is above the network, and figures of all of it.

import { type Colour, css } from "./theme";

export interface Stroke {
  readonly colour: Colour;
  readonly width: number;
  readonly opacity?: number;
  readonly dash?: readonly number[];
}

export interface Letters {
  readonly colour: Colour;
  readonly size: number;
  readonly align?: "left" | "center" | "right";
  readonly isBold?: boolean;
  /** Drawn around the letters, so that lines below do not cross them. */
  readonly halo?: Colour;
}

export interface Pen {
  line(points: readonly (readonly [number, number])[], stroke: Stroke): void;
  shape(points: readonly (readonly [number, number])[], fill: Colour, opacity: number, edge?: Stroke): void;
  circle(x: number, y: number, radius: number, fill: Colour | null, edge?: Stroke): void;
  text(x: number, y: number, text: string, letters: Letters): void;
}

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif";

/** Corners of a rectangle. */
export function corners(left: number, top: number, right: number, bottom: number): [number, number][] {
  return [[left, top], [right, top], [right, bottom], [left, bottom]];
}

export class CanvasPen implements Pen {
  constructor(private readonly to: CanvasRenderingContext2D) {}

  line(points: readonly (readonly [number, number])[], stroke: Stroke): void {
    this.path(points, false);
    this.stroke(stroke);
  }

  shape(points: readonly (readonly [number, number])[], fill: Colour, opacity: number, edge?: Stroke): void {
    this.path(points, true);
    this.fill(fill, opacity);
    if (edge) this.stroke(edge);
  }

  circle(x: number, y: number, radius: number, fill: Colour | null, edge?: Stroke): void {
    this.to.beginPath();
    this.to.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) this.fill(fill, 1);
    if (edge) this.stroke(edge);
  }

  text(x: number, y: number, text: string, letters: Letters): void {
    const { to } = this;
    to.font = `${letters.isBold ? "600 " : ""}${letters.size}px ${FONT}`;
    to.textAlign = letters.align ?? "left";
    to.textBaseline = "middle";
    if (letters.halo) {
      to.strokeStyle = css(letters.halo);
      to.lineWidth = 3;
      to.lineJoin = "round";
      to.setLineDash([]);
      to.strokeText(text, x, y);
    }
    to.fillStyle = css(letters.colour);
    to.fillText(text, x, y);
  }

  private path(points: readonly (readonly [number, number])[], isClosed: boolean): void {
    this.to.beginPath();
    points.forEach(([x, y], at) => (at ? this.to.lineTo(x, y) : this.to.moveTo(x, y)));
    if (isClosed) this.to.closePath();
  }

  private fill(colour: Colour, opacity: number): void {
    this.to.globalAlpha = opacity;
    this.to.fillStyle = css(colour);
    this.to.fill();
    this.to.globalAlpha = 1;
  }

  private stroke(stroke: Stroke): void {
    const { to } = this;
    to.globalAlpha = stroke.opacity ?? 1;
    to.strokeStyle = css(stroke.colour);
    to.lineWidth = stroke.width;
    to.lineJoin = "round";
    to.setLineDash([...(stroke.dash ?? [])]);
    to.stroke();
    to.globalAlpha = 1;
  }
}

const NAMESPACE = "http://www.w3.org/2000/svg";

/** Draws elements into an SVG; text stays text. */
export class SvgPen implements Pen {
  constructor(private readonly to: SVGElement) {}

  line(points: readonly (readonly [number, number])[], stroke: Stroke): void {
    this.add("polyline", { points: joined(points), fill: "none", ...stroked(stroke) });
  }

  shape(points: readonly (readonly [number, number])[], fill: Colour, opacity: number, edge?: Stroke): void {
    this.add("polygon", {
      points: joined(points),
      fill: css(fill),
      "fill-opacity": short(opacity),
      ...(edge ? stroked(edge) : {}),
    });
  }

  circle(x: number, y: number, radius: number, fill: Colour | null, edge?: Stroke): void {
    this.add("circle", {
      cx: short(x),
      cy: short(y),
      r: short(radius),
      fill: fill ? css(fill) : "none",
      ...(edge ? stroked(edge) : {}),
    });
  }

  text(x: number, y: number, text: string, letters: Letters): void {
    const anchor = { left: "start", center: "middle", right: "end" }[letters.align ?? "left"];
    const element = this.add("text", {
      x: short(x),
      y: short(y),
      fill: css(letters.colour),
      "font-size": short(letters.size),
      "font-family": FONT,
      "font-weight": letters.isBold ? "600" : "400",
      "text-anchor": anchor,
      "dominant-baseline": "central",
      ...(letters.halo
        ? { stroke: css(letters.halo), "stroke-width": "3", "stroke-linejoin": "round", "paint-order": "stroke" }
        : {}),
    });
    element.textContent = text;
  }

  private add(name: string, attributes: Record<string, string>): SVGElement {
    const element = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    this.to.append(element);
    return element;
  }
}

/** An empty SVG of a size, with its background. */
export function emptySvg(width: number, height: number, page: Colour): SVGSVGElement {
  const svg = document.createElementNS(NAMESPACE, "svg");
  svg.setAttribute("xmlns", NAMESPACE);
  svg.setAttribute("viewBox", `0 0 ${short(width)} ${short(height)}`);
  svg.setAttribute("width", short(width));
  svg.setAttribute("height", short(height));
  new SvgPen(svg).shape(corners(0, 0, width, height), page, 1);
  return svg;
}

function joined(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ");
}

function stroked(stroke: Stroke): Record<string, string> {
  return {
    stroke: css(stroke.colour),
    "stroke-width": short(stroke.width),
    "stroke-opacity": short(stroke.opacity ?? 1),
    ...(stroke.dash?.length ? { "stroke-dasharray": stroke.dash.join(" ") } : {}),
  };
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
