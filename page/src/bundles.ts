// Parallel cables as one line: cables between the same two places of the drawing.

import type { Scene } from "./scene";

/** Cables by the pair of places they join; a place is a switch, or from `switches` on a chassis. */
export interface Bundles {
  /** For each bundle its two places, the lower number first. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** Bundle k has the cables `cables[start[k]]` to `cables[start[k + 1] - 1]`. */
  readonly start: Int32Array;
  readonly cables: Int32Array;
  /** Bundle of each cable, -1 within a closed chassis. */
  readonly of: Int32Array;
  /** Place of each switch. */
  readonly place: Int32Array;
}

export function bundled(scene: Scene, isOpen: (chassis: number) => boolean): Bundles {
  const switches = scene.switches.name.length;
  const place = Int32Array.from(scene.switches.chassis, (chassis, index) =>
    chassis === null || isOpen(chassis) ? index : switches + chassis,
  );
  const places = switches + scene.chassis.length;
  const { a, b } = scene.cables;
  const numbers = new Map<number, number>();
  const of = new Int32Array(a.length).fill(-1);
  const counts: number[] = [];
  for (let cable = 0; cable < a.length; cable++) {
    const one = place[a[cable] as number] as number;
    const other = place[b[cable] as number] as number;
    if (one === other) continue;
    const key = Math.min(one, other) * places + Math.max(one, other);
    let bundle = numbers.get(key);
    if (bundle === undefined) {
      bundle = counts.length;
      numbers.set(key, bundle);
      counts.push(0);
    }
    of[cable] = bundle;
    counts[bundle] = (counts[bundle] as number) + 1;
  }
  const start = new Int32Array(counts.length + 1);
  counts.forEach((count, bundle) => (start[bundle + 1] = (start[bundle] as number) + count));
  const next = start.slice();
  const cables = new Int32Array(start[counts.length] as number);
  of.forEach((bundle, cable) => {
    if (bundle >= 0) cables[(next[bundle] as number)++] = cable;
  });
  const keys = [...numbers.keys()];
  return {
    a: Int32Array.from(keys, (key) => Math.floor(key / places)),
    b: Int32Array.from(keys, (key) => key % places),
    start,
    cables,
    of,
    place,
  };
}

/** Tell whether a cable's own first end is the first place of its bundle. */
export function isAlong(bundles: Bundles, scene: Scene, cable: number): boolean {
  const bundle = bundles.of[cable] as number;
  return bundles.place[scene.cables.a[cable] as number] === bundles.a[bundle];
}
