// Loads as heat: of one state, or what differs between two.

import type { Heat } from "./picture";
import type { Loads } from "./questions";
import type { Layer } from "./scene";

const largest = new WeakMap<Loads, number>();

/** The largest load of all channels of cables. */
export function largestOf(loads: Loads): number {
  let found = largest.get(loads);
  if (found === undefined) {
    found = 0;
    for (const all of [loads.forward, loads.back]) {
      for (const load of all) if (load !== null && load > found) found = load;
    }
    largest.set(loads, found);
  }
  return found;
}

/** The load of a cable in its busier direction. */
export function busierOf(loads: Loads, cable: number): number {
  return Math.max(loads.forward[cable] ?? 0, loads.back[cable] ?? 0);
}

/** The cable of which one direction carries most. */
export function busiestOf(loads: Loads): number {
  let found = 0;
  for (let cable = 1; cable < loads.forward.length; cable++) {
    if (busierOf(loads, cable) > busierOf(loads, found)) found = cable;
  }
  return found;
}

function numbers(loads: readonly (number | null)[]): Float64Array {
  return Float64Array.from(loads, (load) => load ?? 0);
}

/** Heat of one state; with another beside it, both by one scale. */
export function heatOf(loads: Loads, beside: Loads | null): Heat {
  const end = Math.max(largestOf(loads), beside ? largestOf(beside) : 0);
  return { forward: numbers(loads.forward), back: numbers(loads.back), end, isDifference: false };
}

/** Heat of what was counted or measured. */
export function heatOfLayer(layer: Layer): Heat {
  const heat = heatOf(layer, null);
  const end = (layer.switches ?? []).reduce((most: number, one) => Math.max(most, one ?? 0), heat.end);
  return { ...heat, end, switches: layer.switches, isSteep: layer.steep };
}

/** What each channel carries more in the second state. */
export function differenceOf(one: Loads, other: Loads): Heat {
  const minus = (after: Float64Array, before: Float64Array): Float64Array =>
    after.map((load, at) => load - (before[at] as number));
  const forward = minus(numbers(other.forward), numbers(one.forward));
  const back = minus(numbers(other.back), numbers(one.back));
  let end = 0;
  for (const loads of [forward, back]) for (const load of loads) end = Math.max(end, Math.abs(load));
  return { forward, back, end, isDifference: true };
}
