// Names and numbers as text for people, as everywhere in Weft.

import type { Scene } from "./scene";

/** Stands where there is no figure. */
export const MISSING = "–";

const UNSAFE =
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/gu;

/** Write every character that is none to be seen as an escape. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (found) => {
    const code = found.codePointAt(0) as number;
    return code < 0x20
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Shorten a name for the drawing: names are told apart by their ends more often than by their middles. */
export function shortened(text: string, most = 22): string {
  const letters = [...visible(text)];
  if (letters.length <= most) return letters.join("");
  const end = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}

/** Write a number with some significant digits, thousands grouped. */
export function quantity(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (value === 0) return "0";
  const decimals = Math.max(digits - 1 - Math.floor(Math.log10(Math.abs(value))), 0);
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(decimals, 12) });
}

/** Write a change with its sign. */
export function change(value: number): string {
  if (value === 0) return "±0";
  return value > 0 ? `+${quantity(value)}` : `−${quantity(-value)}`;
}

/** Write a share of one in percent. */
export function inPercent(share: number, decimals = 1): string {
  return `${(100 * share).toFixed(decimals)} %`;
}

/** Write a count with what it counts: `1 cable`, `2 cables`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${quantity(value, 12)} ${value === 1 ? one : many}`;
}

/** Write a time in ns, or µs where that reads better. */
export function duration(time_ns: number): string {
  return time_ns >= 10_000 ? `${quantity(time_ns / 1000)} µs` : `${quantity(time_ns)} ns`;
}

export function switchName(scene: Scene, index: number): string {
  return visible(scene.switches.name[index] ?? MISSING);
}

export function hostName(scene: Scene, index: number): string {
  return visible(scene.hosts.name[index] ?? MISSING);
}

/** Name a cable by its ends, or one of its directions. */
export function cableName(scene: Scene, index: number, forward: boolean | null = null): string {
  const { a, b, port_a, port_b } = scene.cables;
  const ends = [
    `${switchName(scene, a[index] ?? -1)} port ${visible(port_a[index] ?? "")}`,
    `${switchName(scene, b[index] ?? -1)} port ${visible(port_b[index] ?? "")}`,
  ];
  if (forward === false) ends.reverse();
  return ends.join(forward === null ? " – " : " → ");
}
