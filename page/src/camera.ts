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

/** The place from which a box is seen whole. */
export function fitted(box: Box, size: Size): Place {
  const across = Math.max(box.right - box.left, 1e-6);
  const down = Math.max(box.bottom - box.top, 1e-6);
  const room = (length: number): number => Math.max(length - 2 * MARGIN, length / 2, 1);
  return {
    x: (box.left + box.right) / 2,
    y: (box.top + box.bottom) / 2,
    scale: Math.min(room(size.width) / across, room(size.height) / down, 4),
  };
}

export function onScreen(place: Place, size: Size, x: number, y: number): [number, number] {
  return [
    (x - place.x) * place.scale + size.width / 2,
    (y - place.y) * place.scale + size.height / 2,
  ];
}

export function inScene(place: Place, size: Size, x: number, y: number): [number, number] {
  return [
    (x - size.width / 2) / place.scale + place.x,
    (y - size.height / 2) / place.scale + place.y,
  ];
}

/** Move what is seen by so many pixels. */
export function moved(place: Place, across: number, down: number): Place {
  return { ...place, x: place.x - across / place.scale, y: place.y - down / place.scale };
}

/** Zoom by a factor; what is at a point of the screen stays there. */
export function zoomed(
  place: Place,
  size: Size,
  factor: number,
  at: readonly [number, number],
  limits: { readonly whole: number; readonly spacing: number },
): Place {
  const least = FURTHEST_OUT * limits.whole;
  const most = Math.max(FURTHEST_IN / limits.spacing, limits.whole);
  const scale = Math.min(Math.max(place.scale * factor, least), most);
  const [x, y] = inScene(place, size, ...at);
  return {
    x: x - (at[0] - size.width / 2) / scale,
    y: y - (at[1] - size.height / 2) / scale,
    scale,
  };
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
