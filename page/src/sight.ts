// A network as it is seen from one place: where its parts are on the screen, what is below a point.

import type { Place } from "./address";
import { type Bundles, isAlong } from "./bundles";
import { type Lens, lensOf, onScreen, type Size } from "./camera";
import type { Ground } from "./ground";
import { type Detail, detailAt, endingIn, halfOnScreen, type Lines, type Picture, slotOf, spreadAt } from "./picture";
import type { Scene } from "./scene";

export type Point = readonly [number, number];

export type Hit =
  | { readonly is: "node"; readonly place: number }
  | { readonly is: "frame"; readonly chassis: number }
  | { readonly is: "bundle"; readonly bundle: number }
  | { readonly is: "cable"; readonly cable: number };

export class Sight {
  readonly lens: Lens;

  constructor(
    readonly scene: Scene,
    readonly ground: Ground,
    readonly bundles: Bundles,
    place: Place,
    readonly size: Size,
  ) {
    this.lens = lensOf(place, ground.steepest);
  }

  get scale(): number {
    return this.lens.scale;
  }

  get detail(): Detail {
    return detailAt(this.ground, this.scale);
  }

  /** The lines that are drawn. */
  lines(picture: Picture): Lines {
    return endingIn(picture[this.detail], this.lens, this.size);
  }

  /** Tell whether cables are drawn one by one, both ways beside each other. */
  get isNear(): boolean {
    return this.detail === "channels";
  }

  /** Where a switch is drawn, or a chassis by its number after the switches. */
  at(place: number): Point {
    return onScreen(this.lens, this.size, this.ground.x[place] as number, this.ground.y[place] as number);
  }

  /** Where a switch is seen: at its chassis while that is closed. */
  ofSwitch(index: number): Point {
    return this.at(this.bundles.place[index] as number);
  }

  /** The two ends of a cable's direction, beside those of its neighbours; null within a chassis. */
  channel(cable: number, forward: boolean): [Point, Point] | null {
    const bundle = this.bundles.of[cable] as number;
    if (bundle < 0) return null;
    const slot = this.isNear ? slotOf(this.bundles, cable, !forward) : 0;
    const ends = this.beside(bundle, slot * spreadAt(this.ground, this.scale));
    return isAlong(this.bundles, this.scene, cable) === forward ? ends : [ends[1], ends[0]];
  }

  /** The middle line of a cable. */
  cable(cable: number): [Point, Point] | null {
    const there = this.channel(cable, true);
    const back = this.channel(cable, false);
    if (!there || !back) return null;
    const middle = (one: Point, other: Point): Point => [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
    return [middle(there[0], back[1]), middle(there[1], back[0])];
  }

  private beside(bundle: number, offset: number): [Point, Point] {
    const a = this.at(this.bundles.a[bundle] as number);
    const b = this.at(this.bundles.b[bundle] as number);
    const length = Math.max(Math.hypot(b[0] - a[0], b[1] - a[1]), 1e-6);
    const across = [(-(b[1] - a[1]) / length) * offset, ((b[0] - a[0]) / length) * offset] as const;
    return [
      [a[0] + across[0], a[1] + across[1]],
      [b[0] + across[0], b[1] + across[1]],
    ];
  }

  /** What is drawn at a point of the screen, within so many pixels. */
  hit(picture: Picture, x: number, y: number, reach: number): Hit | null {
    const node = this.nodeAt(picture, x, y, reach);
    if (node !== null) return { is: "node", place: node };
    const line = this.lineAt(picture, x, y, reach);
    if (line) return line;
    const { frames } = picture;
    for (let at = 0; at < frames.count; at++) {
      const [cx, cy] = onScreen(this.lens, this.size, frames.at[2 * at] as number, frames.at[2 * at + 1] as number);
      const [across, down] = halfOnScreen(frames, at, this.lens);
      if (Math.abs(x - cx) <= across && Math.abs(y - cy) <= down) {
        return { is: "frame", chassis: (frames.of[at] as number) - this.scene.switches.name.length };
      }
    }
    return null;
  }

  private nodeAt(picture: Picture, x: number, y: number, reach: number): number | null {
    const { nodes } = picture;
    let [nearest, found] = [Infinity, -1];
    for (let at = 0; at < nodes.count; at++) {
      const [cx, cy] = onScreen(this.lens, this.size, nodes.at[2 * at] as number, nodes.at[2 * at + 1] as number);
      const [across, down] = halfOnScreen(nodes, at, this.lens);
      const outside = Math.max(Math.abs(x - cx) - across, Math.abs(y - cy) - down);
      // A small node is hit from a little further away, but never across half the way to the next.
      const room = Math.min(reach / 2, 0.2 * this.ground.spacing * this.scale);
      if (outside <= room && outside < nearest) [nearest, found] = [outside, nodes.of[at] as number];
    }
    return found < 0 ? null : found;
  }

  private lineAt(picture: Picture, x: number, y: number, reach: number): Hit | null {
    const lines = this.lines(picture);
    const spread = spreadAt(this.ground, this.scale);
    let [nearest, found] = [reach, -1];
    // All in pixels, from the middle of the screen.
    const { lens } = this;
    const [px, py] = [x - this.size.width / 2, y - this.size.height / 2];
    for (let at = 0; at < lines.count; at++) {
      const ax = ((lines.ends[4 * at] as number) - lens.x) * lens.scale;
      const ay = ((lines.ends[4 * at + 1] as number) - lens.y) * lens.down;
      const dx = ((lines.ends[4 * at + 2] as number) - lens.x) * lens.scale - ax;
      const dy = ((lines.ends[4 * at + 3] as number) - lens.y) * lens.down - ay;
      const square = Math.max(dx * dx + dy * dy, 1e-12);
      const way = ((px - ax) * dx + (py - ay) * dy) / square;
      if (way < 0 || way > 1) continue;
      const across = ((py - ay) * dx - (px - ax) * dy) / Math.sqrt(square);
      const apart = Math.abs(across - (lines.shape[4 * at] as number) * spread);
      // Later lines are drawn above earlier ones.
      if (apart <= nearest) [nearest, found] = [apart, lines.of[at] as number];
    }
    if (found < 0) return null;
    return this.isNear ? { is: "cable", cable: found >> 1 } : { is: "bundle", bundle: found };
  }
}
