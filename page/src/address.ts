// What is seen stands in the fragment of the address, as JSON, so that it can be sent.

import type { Scene } from "./scene";
import type { State } from "./questions";

export type Picked =
  | { readonly cable: number }
  | { readonly switch: number }
  | { readonly source: number; readonly destination: number };

export interface Place {
  readonly x: number;
  readonly y: number;
  /** CSS pixels to a unit of the scene. */
  readonly scale: number;
}

export interface Run {
  readonly load: number;
  readonly cycles: number;
  readonly seed: number;
}

export type Change = ({ readonly cable: number } | { readonly switch: number }) & { readonly done: number };

/** All that is chosen on the page. */
export interface View {
  readonly state: State;
  /** What it is compared with. */
  readonly other: State | null;
  readonly picked: Picked | null;
  /** Where one looks; null shows all. */
  readonly camera: Place | null;
  /** Chassis that were opened by hand. */
  readonly opened: readonly number[];
  readonly run: Run | null;
  /** Which of the scene's layers is shown as colours, or none, instead of loads that are worked out. */
  readonly layer: number | "none" | null;
  /** A part whose failure changes the tables, and how many steps of that are done. */
  readonly change: Change | null;
  /** Which packet of a deadlock's cycle is looked at. */
  readonly step: number | null;
}

export function firstView(scene: Scene): View {
  const routing = scene.routings[0]?.name ?? "best:lanes=1";
  const { failed_cables, failed_switches } = scene.start ?? { failed_cables: [], failed_switches: [] };
  const state = { routing, pattern: "uniform", failed_cables, failed_switches, hardware: scene.hardware ?? null };
  return { state, other: null, picked: null, camera: null, opened: [], run: null, layer: scene.recording ? "none" : null, change: null, step: null };
}

/** Write a view as a fragment without its `#`; what is as at first is left out. */
export function written(view: View, first: View): string {
  const short: Record<string, unknown> = {};
  for (const key of Object.keys(first) as (keyof View)[]) {
    if (JSON.stringify(view[key]) !== JSON.stringify(first[key])) short[key] = view[key];
  }
  return Object.keys(short).length ? encodeURIComponent(JSON.stringify(short)) : "";
}

/** Read a fragment; what this network does not have is left out and told of. */
export function read(fragment: string, scene: Scene): { view: View; complaint: string | null } {
  const first = firstView(scene);
  const text = fragment.replace(/^#/, "");
  if (!text) return { view: first, complaint: null };
  let found: unknown;
  try {
    found = JSON.parse(decodeURIComponent(text));
  } catch {
    return { view: first, complaint: "The address of this page was cut short; all is as at first." };
  }
  if (typeof found !== "object" || found === null) {
    return { view: first, complaint: "The address of this page says nothing; all is as at first." };
  }
  const readers: { [K in keyof View]: (value: unknown) => View[K] | undefined } = {
    state: (value) => readState(value, scene),
    other: (value) => (value === null ? null : readState(value, scene)),
    picked: (value) => (value === null ? null : readPicked(value, scene)),
    camera: (value) => (value === null ? null : readPlace(value)),
    opened: (value) => indices(value, scene.chassis.length),
    run: (value) => (value === null ? null : readRun(value)),
    layer: (value) => (value === null || value === "none" || isIndex(value, scene.layers?.length ?? 0) ? (value as View["layer"]) : undefined),
    change: (value) => (value === null ? null : readChange(value, scene)),
    step: (value) => (value === null || isIndex(value, Infinity) ? (value as number) : undefined),
  };
  const view: Record<string, unknown> = { ...first };
  const leftOut: string[] = [];
  for (const [key, value] of Object.entries(found)) {
    const known = Object.hasOwn(readers, key) ? readers[key as keyof View](value) : undefined;
    if (known === undefined) leftOut.push(key.slice(0, 20));
    else view[key] = known;
  }
  const complaint = leftOut.length
    ? `The address asks for what this network does not have; left out: ${leftOut.join(", ")}.`
    : null;
  return { view: view as unknown as View, complaint };
}

function isIndex(value: unknown, count: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < count;
}

function indices(value: unknown, count: number): number[] | undefined {
  if (!Array.isArray(value) || !value.every((item) => isIndex(item, count))) return undefined;
  return [...new Set(value as number[])].sort((one, other) => one - other);
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function readState(value: unknown, scene: Scene): State | undefined {
  const { routing, pattern, failed_cables, failed_switches, hardware } = fields(value);
  const cables = indices(failed_cables, scene.cables.a.length);
  const switches = indices(failed_switches, scene.switches.name.length);
  if (typeof routing !== "string" || typeof pattern !== "string" || !cables || !switches) {
    return undefined;
  }
  const suited = typeof hardware === "string" ? hardware : (scene.hardware ?? null);
  return { routing, pattern, failed_cables: cables, failed_switches: switches, hardware: suited };
}

function readPicked(value: unknown, scene: Scene): Picked | undefined {
  const found = fields(value);
  if (isIndex(found.cable, scene.cables.a.length)) return { cable: found.cable };
  if (isIndex(found.switch, scene.switches.name.length)) return { switch: found.switch };
  const hosts = scene.hosts.name.length;
  if (isIndex(found.source, hosts) && isIndex(found.destination, hosts)) {
    return { source: found.source, destination: found.destination };
  }
  return undefined;
}

function readChange(value: unknown, scene: Scene): Change | undefined {
  const { done } = fields(value);
  const part = readPicked(value, scene);
  if (!part || "source" in part || !isIndex(done, Infinity)) return undefined;
  return { ...part, done };
}

function readPlace(value: unknown): Place | undefined {
  const { x, y, scale } = fields(value);
  const isWhole = [x, y, scale].every(Number.isFinite) && (scale as number) > 0;
  return isWhole ? { x: x as number, y: y as number, scale: scale as number } : undefined;
}

function readRun(value: unknown): Run | undefined {
  const { load, cycles, seed } = fields(value);
  const isRight =
    Number.isFinite(load) && (load as number) > 0 && (load as number) <= 1 &&
    isIndex(cycles, 1e9) && isIndex(seed, 2 ** 32);
  return isRight ? { load: load as number, cycles, seed } : undefined;
}
