// Where one looks: a place of the scene in the middle, and how large it is drawn.

import type { Place } from "./address";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Room around what is shown whole, in CSS pixels: for names and the legend. */
const MARGIN = 44;
/** Furthest out, as a part of the scale that shows all, and furthest in, in pixels to a spacing. */
const FURTHEST_OUT = 0.5;
const FURTHEST_IN = 2000;

/** A place, and how many pixels a unit has across and down. */
export interface Lens extends Place {
  readonly down: number;
}

/** Look from a place; where rows stand for levels, those are drawn so many pixels a unit apart at most. */
export function lensOf(place: Place, steepest: number): Lens {
  return { ...place, down: Math.min(place.scale, steepest) };
}

/** The place from which a box is seen whole. */
export function fitted(box: Box, size: Size, steepest: number): Place {
  const across = Math.max(box.right - box.left, 1e-6);
  const down = Math.max(box.bottom - box.top, 1e-6);
  const room = (length: number): number => Math.max(length - 2 * MARGIN, length / 2, 1);
  const high = room(size.height) / down;
  return {
    x: (box.left + box.right) / 2,
    y: (box.top + box.bottom) / 2,
    scale: Math.min(room(size.width) / across, steepest <= high ? Infinity : high, 4),
  };
}

export function onScreen(lens: Lens, size: Size, x: number, y: number): [number, number] {
  return [(x - lens.x) * lens.scale + size.width / 2, (y - lens.y) * lens.down + size.height / 2];
}

export function inScene(lens: Lens, size: Size, x: number, y: number): [number, number] {
  return [(x - size.width / 2) / lens.scale + lens.x, (y - size.height / 2) / lens.down + lens.y];
}

/** Move what is seen by so many pixels. */
export function moved({ x, y, scale, down }: Lens, pixels_across: number, pixels_down: number): Place {
  return { x: x - pixels_across / scale, y: y - pixels_down / down, scale };
}

/** Zoom by a factor; what is at a point of the screen stays there. */
export function zoomed(
  lens: Lens,
  size: Size,
  factor: number,
  at: readonly [number, number],
  limits: { readonly whole: number; readonly spacing: number; readonly steepest: number },
): Place {
  const least = FURTHEST_OUT * limits.whole;
  const most = Math.max(FURTHEST_IN / limits.spacing, limits.whole);
  const scale = Math.min(Math.max(lens.scale * factor, least), most);
  const { down } = lensOf({ ...lens, scale }, limits.steepest);
  const [x, y] = inScene(lens, size, ...at);
  return { x: x - (at[0] - size.width / 2) / scale, y: y - (at[1] - size.height / 2) / down, scale };
}

/** A place as it stands in an address: no digit that is not seen. */
export function rounded(place: Place): Place {
  const decimals = (value: number, pixels: number): number => {
    const digits = 10 ** Math.max(Math.ceil(Math.log10(pixels * 10)), 0);
    return Math.round(value * digits) / digits;
  };
  return {
    x: decimals(place.x, place.scale),
    y: decimals(place.y, place.scale),
    scale: Number(place.scale.toPrecision(4)),
  };
}
