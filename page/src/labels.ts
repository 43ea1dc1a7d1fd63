// Names where there is room for them.

import { onScreen, type Size } from "./camera";
import { halfOnScreen, type Picture } from "./picture";
import type { Sight } from "./sight";
import { shortened } from "./words";

export interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly isBold: boolean;
}

const LETTERS = 12;
const COUNTS = 10;
/** Mean width of a letter as a part of its height. */
const WIDTH = 0.58;
/** Room that labels keep from one another, in CSS pixels. */
const GAP = 5;
/** A count is drawn on bundles of at least this length. */
const LONG_ENOUGH = 70;
/** Where on the way from an end. */
const COUNT_AT = 0.2;
const MOST_LABELS = 400;

/** Boxes on the screen that do not overlap. */
export class Room {
  private readonly cells = new Map<number, [number, number, number, number][]>();
  private static readonly CELL = 64;

  constructor(private readonly size: Size) {}

  /** Take a box if it is free and on the screen. */
  take(left: number, top: number, right: number, bottom: number): boolean {
    if (left < 0 || top < 0 || right > this.size.width || bottom > this.size.height) return false;
    const keys = this.keys(left, top, right, bottom);
    for (const key of keys) {
      for (const [l, t, r, b] of this.cells.get(key) ?? []) {
        if (left < r && l < right && top < b && t < bottom) return false;
      }
    }
    for (const key of keys) {
      const boxes = this.cells.get(key);
      if (boxes) boxes.push([left, top, right, bottom]);
      else this.cells.set(key, [[left, top, right, bottom]]);
    }
    return true;
  }

  private keys(left: number, top: number, right: number, bottom: number): number[] {
    const cell = (value: number): number => Math.floor(value / Room.CELL);
    const keys: number[] = [];
    for (let row = cell(top); row <= cell(bottom); row++) {
      for (let column = cell(left); column <= cell(right); column++) keys.push(row * 4096 + column);
    }
    return keys;
  }
}

/** Names of nodes and counts of bundles, the most important first, none over another. */
export function labels(sight: Sight, picture: Picture, pinned: readonly number[]): Label[] {
  const room = new Room(sight.size);
  const found: Label[] = [];
  for (const [text, x, y, isBold] of names(sight, picture, new Set(pinned))) {
    if (found.length >= MOST_LABELS) return found;
    const half = (text.length * LETTERS * WIDTH) / 2 + GAP;
    if (room.take(x - half, y - LETTERS / 2 - 1, x + half, y + LETTERS / 2 + 1)) {
      found.push({ x, y, text, size: LETTERS, isBold });
    }
  }
  const areBundles = picture[sight.detail].count === picture.bundles.count;
  if (sight.isNear || !areBundles) return found;
  for (const [text, x, y] of counts(sight)) {
    if (found.length >= MOST_LABELS) return found;
    const half = (text.length * COUNTS * WIDTH) / 2 + GAP;
    if (room.take(x - half, y - COUNTS / 2 - 1, x + half, y + COUNTS / 2 + 1)) {
      found.push({ x, y, text, size: COUNTS, isBold: false });
    }
  }
  return found;
}

function names(sight: Sight, picture: Picture, pinned: Set<number>): [string, number, number, boolean][] {
  const { scene, size } = sight;
  const switches = scene.switches.name.length;
  const found: [number, string, number, number, boolean][] = [];
  const highest = Math.max(0, ...[...new Set(scene.switches.level)].map((level) => level ?? 0));
  const tops = scene.chassis.map((): number | null => null);
  scene.switches.chassis.forEach((chassis, index) => {
    const level = scene.switches.level[index] ?? null;
    if (chassis !== null && level !== null) tops[chassis] = Math.max(tops[chassis] ?? 0, level);
  });
  const each = (nodes: Picture["nodes"], isFrame: boolean): void => {
    for (let at = 0; at < nodes.count; at++) {
      const place = nodes.of[at] as number;
      const isChassis = place >= switches;
      const [x, y] = onScreen(sight.lens, size, nodes.at[2 * at] as number, nodes.at[2 * at + 1] as number);
      if (x < 0 || y < -20 || x > size.width || y > size.height + 20) continue;
      const down = halfOnScreen(nodes, at, sight.lens)[1];
      const level = (isChassis ? tops[place - switches] : scene.switches.level[place]) ?? null;
      // Names of the topmost row stand above it, where no cable leaves.
      const isAbove = isFrame || (level !== null && level > 0 && level === highest);
      const name = isChassis ? scene.chassis[place - switches]?.name : scene.switches.name[place];
      const weight = (pinned.has(place) ? 1e9 : 0) + (isChassis ? 1e6 : 0) + (level ?? 0) * 1e3;
      found.push([weight, shortened(name ?? ""), x, y + (isAbove ? -1 : 1) * (down + 9), isChassis]);
    }
  };
  each(picture.frames, true);
  each(picture.nodes, false);
  found.sort((one, other) => other[0] - one[0]);
  return found.map(([, ...rest]) => rest);
}

function* counts(sight: Sight): Generator<[string, number, number]> {
  const { bundles } = sight;
  const ends = new Uint32Array(sight.ground.x.length);
  for (const places of [bundles.a, bundles.b]) for (const place of places) ends[place] = (ends[place] as number) + 1;
  for (let bundle = 0; bundle < bundles.a.length; bundle++) {
    const count = (bundles.start[bundle + 1] as number) - (bundles.start[bundle] as number);
    if (count < 2) continue;
    const a = sight.at(bundles.a[bundle] as number);
    const b = sight.at(bundles.b[bundle] as number);
    if (Math.hypot(b[0] - a[0], b[1] - a[1]) < LONG_ENOUGH) continue;
    // Near the end with fewer bundles, where lines are apart, and in rows where ends are in rows.
    const isFromA = (ends[bundles.a[bundle] as number] as number) <= (ends[bundles.b[bundle] as number] as number);
    const way = isFromA ? COUNT_AT : 1 - COUNT_AT;
    yield [`×${count}`, a[0] + way * (b[0] - a[0]), a[1] + way * (b[1] - a[1])];
  }
}
