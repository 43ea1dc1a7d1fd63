// The ground of a drawing: places of switches and chassis as they are drawn, and how far apart.

import type { Box } from "./camera";
import type { Scene } from "./scene";

/** Least height of a drawing as a part of its width, where rows stand for levels: drawn higher then. */
const LEAST_HEIGHT = 0.7;
/** Rows that stand for levels are drawn so many CSS pixels apart at most, however near one is. */
const ROWS_APART = 460;
/** Half of a chassis that has no other switch to keep clear of, in spacings. */
const HALF_CHASSIS = 0.42;

export interface Ground {
  /** Centres of the switches, then of the chassis. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly box: Box;
  /** A usual distance of a switch from its nearest neighbour. */
  readonly spacing: number;
  /** What each chassis covers when open. */
  readonly chassis: readonly Box[];
  /** Most pixels to a unit downwards. */
  readonly steepest: number;
  /** Pixels to a unit from which on few enough cables end where one looks to be drawn one by one. */
  readonly sparseFrom: number;
}

/** So many lines are drawn at a time at most. */
export const MOST_LINES = 12_000;
/** What is seen of a network at a time, in square pixels. */
const VIEW = 500_000;

export function groundOf(scene: Scene): Ground {
  const switches = scene.switches.name.length;
  const x = Float64Array.from([...scene.switches.x, ...scene.chassis.map((one) => one.x)]);
  const y = Float64Array.from([...scene.switches.y, ...scene.chassis.map((one) => one.y)]);
  const flat = boxOf(x, y, 0, x.length);
  const across = flat.right - flat.left;
  const down = flat.bottom - flat.top;
  const levels = new Set(scene.switches.level.filter((level) => level !== null));
  const isInRows = levels.size > 1;
  const stretch = isInRows && down > 1e-9 ? Math.max(1, (LEAST_HEIGHT * across) / down) : 1;
  for (let at = 0; at < y.length; at++) y[at] = (y[at] as number) * stretch;
  const spacing = spacingOf(x, y, switches);
  const box = boxOf(x, y, 0, x.length);
  const steepest = isInRows ? (ROWS_APART * (levels.size - 1)) / Math.max(box.bottom - box.top, 1e-9) : Infinity;
  const area = Math.max((box.right - box.left) * (box.bottom - box.top), 1e-9);
  const sparseFrom = Math.sqrt((scene.cables.a.length / MOST_LINES) * (VIEW / area));
  return { x, y, box, spacing, chassis: covered(scene, x, y, spacing), steepest, sparseFrom };
}

function covered(scene: Scene, x: Float64Array, y: Float64Array, spacing: number): Box[] {
  const half = HALF_CHASSIS * spacing;
  const boxes = scene.chassis.map((_, index) => {
    const at = scene.switches.name.length + index;
    const [cx, cy] = [x[at] as number, y[at] as number];
    return { left: cx, top: cy, right: cx, bottom: cy };
  });
  scene.switches.chassis.forEach((chassis, index) => {
    const box = chassis === null ? undefined : boxes[chassis];
    if (!box) return;
    box.left = Math.min(box.left, x[index] as number);
    box.right = Math.max(box.right, x[index] as number);
    box.top = Math.min(box.top, y[index] as number);
    box.bottom = Math.max(box.bottom, y[index] as number);
  });
  return boxes.map((box) => ({
    left: box.left - half,
    right: box.right + half,
    top: box.top - half,
    bottom: box.bottom + half,
  }));
}

export function boxOf(x: Float64Array, y: Float64Array, from: number, to: number): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let at = from; at < to; at++) {
    box.left = Math.min(box.left, x[at] as number);
    box.right = Math.max(box.right, x[at] as number);
    box.top = Math.min(box.top, y[at] as number);
    box.bottom = Math.max(box.bottom, y[at] as number);
  }
  return from < to ? box : { left: 0, top: 0, right: 1, bottom: 1 };
}

/** The distance below which a tenth of some switches have their nearest neighbour. */
export function spacingOf(x: Float64Array, y: Float64Array, count: number): number {
  const box = boxOf(x, y, 0, count);
  const size = Math.max(box.right - box.left, box.bottom - box.top, 1e-9);
  if (count < 2) return 100;
  // In cells of about one switch, near ones are found in the cells around; a row is one cell high.
  const cell = size / Math.max(Math.sqrt(count), 1);
  const cells = new Map<string, number[]>();
  const key = (column: number, row: number): string => `${column},${row}`;
  const column = (at: number): number => Math.floor(((x[at] as number) - box.left) / cell);
  const row = (at: number): number => Math.floor(((y[at] as number) - box.top) / cell);
  for (let at = 0; at < count; at++) {
    const place = key(column(at), row(at));
    const members = cells.get(place);
    if (members) members.push(at);
    else cells.set(place, [at]);
  }
  const step = Math.max(1, Math.floor(count / 500));
  const nearest: number[] = [];
  for (let at = 0; at < count; at += step) {
    let least = Infinity;
    for (let i = -1; i <= 1; i++) {
      for (let j = -1; j <= 1; j++) {
        for (const other of cells.get(key(column(at) + i, row(at) + j)) ?? []) {
          if (other === at) continue;
          const apart = Math.hypot(
            (x[at] as number) - (x[other] as number),
            (y[at] as number) - (y[other] as number),
          );
          if (apart > 1e-9) least = Math.min(least, apart);
        }
      }
    }
    if (least < Infinity) nearest.push(least);
  }
  nearest.sort((one, other) => one - other);
  return nearest[Math.floor(nearest.length / 10)] ?? size / Math.sqrt(count);
}
