// Paints with a pen what is seen: the network itself for figures, and all that is above it.

import { onScreen } from "./camera";
import { labels } from "./labels";
import type { Mark } from "./marks";
import { CanvasPen, corners, type Pen } from "./pen";
import { fullnessAt, halfOnScreen, type Lines, type Nodes, type Picture, spreadAt, thinned } from "./picture";
import type { Point, Sight } from "./sight";
import type { Colour, Theme } from "./theme";

/** Paint the network itself, as WebGL draws it. */
export function paintNetwork(pen: Pen, sight: Sight, picture: Picture): void {
  paintNodes(pen, sight, picture.frames);
  paintLines(pen, sight, sight.lines(picture));
  paintNodes(pen, sight, picture.nodes);
}

function paintLines(pen: Pen, sight: Sight, lines: Lines): void {
  const spread = spreadAt(sight.ground, sight.scale);
  const fullness = fullnessAt(sight.ground, sight.scale, lines.count);
  for (let at = 0; at < lines.count; at++) {
    const end = (which: 0 | 2): Point =>
      onScreen(sight.lens, sight.size, lines.ends[4 * at + which] as number, lines.ends[4 * at + which + 1] as number);
    const [a, b] = [end(0), end(2)];
    if (isBeyond(sight, a, b)) continue;
    const length = Math.max(Math.hypot(b[0] - a[0], b[1] - a[1]), 1e-6);
    const offset = (lines.shape[4 * at] as number) * spread;
    const across: Point = [(-(b[1] - a[1]) / length) * offset, ((b[0] - a[0]) / length) * offset];
    const [width, opacity] = thinned(
      lines.shape[4 * at + 1] as number,
      (lines.colours[4 * at + 3] as number) / 255,
      lines.shape[4 * at + 3] as number,
      fullness,
    );
    pen.line([add(a, across), add(b, across)], {
      colour: colourAt(lines.colours, at),
      width,
      opacity,
      ...((lines.shape[4 * at + 2] as number) ? { dash: [5, 4] } : {}),
    });
  }
}

function paintNodes(pen: Pen, sight: Sight, nodes: Nodes): void {
  for (let at = 0; at < nodes.count; at++) {
    const [x, y] = onScreen(sight.lens, sight.size, nodes.at[2 * at] as number, nodes.at[2 * at + 1] as number);
    const [across, down] = halfOnScreen(nodes, at, sight.lens);
    if (isBeyond(sight, [x - across, y - down], [x + across, y + down])) continue;
    const width = Math.min(Math.max(0.12 * Math.min(across, down), 1), 2);
    pen.shape(
      corners(x - across + width / 2, y - down + width / 2, x + across - width / 2, y + down - width / 2),
      colourAt(nodes.fill, at),
      (nodes.fill[4 * at + 3] as number) / 255,
      { colour: colourAt(nodes.edge, at), width, opacity: (nodes.edge[4 * at + 3] as number) / 255 },
    );
  }
}

/** Paint what is above the network; returns how many names found room. */
export function paintAbove(
  pen: Pen,
  sight: Sight,
  picture: Picture,
  marks: readonly Mark[],
  theme: Theme,
): number {
  for (const mark of marks) paintMark(pen, sight, mark, theme);
  const switches = sight.scene.switches.name.length;
  const pinned = marks.flatMap((mark) => (mark.is === "switch" ? [sight.bundles.place[mark.switch] as number] : []));
  const found = labels(sight, picture, pinned.filter((place) => place < switches));
  for (const { x, y, text, size, isBold } of found) {
    pen.text(x, y, text, { colour: theme.text, size, isBold, align: "center", halo: theme.page });
  }
  return found.length;
}

function paintMark(pen: Pen, sight: Sight, mark: Mark, theme: Theme): void {
  switch (mark.is) {
    case "cable": {
      const ends = sight.cable(mark.cable);
      if (ends) pen.line(ends, { colour: mark.colour, width: mark.width, opacity: 0.85 });
      return;
    }
    case "channel": {
      const ends = sight.channel(mark.cable, mark.forward);
      if (!ends) return;
      pen.line(ends, { colour: mark.colour, width: mark.width, opacity: 0.9 });
      arrow(pen, ends, mark.colour, mark.width);
      if (mark.words) {
        const [x, y] = between(ends, 0.5);
        pen.text(x, y - 12, mark.words, { colour: theme.text, size: 12, isBold: true, align: "center", halo: theme.page });
      }
      return;
    }
    case "switch": {
      const [x, y] = sight.ofSwitch(mark.switch);
      const radius = Math.max(0.26 * sight.ground.spacing * sight.scale, 7);
      pen.circle(x, y, Math.min(radius, 40), null, { colour: mark.colour, width: 2.5 });
      if (mark.words) {
        pen.text(x, y - Math.min(radius, 40) - 9, mark.words, { colour: theme.text, size: 12, isBold: true, align: "center", halo: theme.page });
      }
      return;
    }
    case "cross": {
      const ends = sight.cable(mark.cable);
      if (!ends) return;
      const [x, y] = between(ends, 0.5);
      for (const turn of [1, -1]) {
        pen.line([[x - 5, y - 5 * turn], [x + 5, y + 5 * turn]], { colour: mark.colour, width: 2.5 });
      }
      return;
    }
    case "packet": {
      const ends = sight.channel(mark.cable, mark.forward);
      if (!ends) return;
      const [tail, head] = [between(ends, mark.from), between(ends, mark.to)];
      pen.line([tail, head], { colour: mark.colour, width: 4 });
      pen.circle(head[0], head[1], 3.2, mark.colour, { colour: theme.page, width: 1 });
    }
  }
}

function arrow(pen: Pen, ends: readonly [Point, Point], colour: Colour, width: number): void {
  const length = Math.hypot(ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]);
  if (length < 14) return;
  const reach = Math.min(6 + 1.5 * width, length / 2);
  const tip = between(ends, 0.56);
  const along: Point = [((ends[1][0] - ends[0][0]) / length) * reach, ((ends[1][1] - ends[0][1]) / length) * reach];
  const foot: Point = [tip[0] - along[0], tip[1] - along[1]];
  const across: Point = [-along[1] * 0.55, along[0] * 0.55];
  pen.shape([tip, add(foot, across), [foot[0] - across[0], foot[1] - across[1]]], colour, 1);
}

function between([a, b]: readonly [Point, Point], way: number): Point {
  return [a[0] + way * (b[0] - a[0]), a[1] + way * (b[1] - a[1])];
}

function add(one: Point, other: Point): Point {
  return [one[0] + other[0], one[1] + other[1]];
}

function colourAt(colours: Uint8Array, at: number): Colour {
  return [colours[4 * at] as number, colours[4 * at + 1] as number, colours[4 * at + 2] as number];
}

/** Tell whether the box around two points is off the screen. */
function isBeyond(sight: Sight, a: Point, b: Point): boolean {
  const { width, height } = sight.size;
  return (
    Math.max(a[0], b[0]) < -20 || Math.max(a[1], b[1]) < -20 ||
    Math.min(a[0], b[0]) > width + 20 || Math.min(a[1], b[1]) > height + 20
  );
}

/** A pen on a canvas of so many CSS pixels, sharp on any screen, with nothing on it. */
export function cleared(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): CanvasPen | null {
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const to = canvas.getContext("2d");
  if (!to) return null;
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.clearRect(0, 0, width, height);
  return new CanvasPen(to);
}
