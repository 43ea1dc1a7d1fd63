// Small networks for tests.

import type { Layer, Recording, Scene } from "../src/scene";

/** Two chassis of a line card and a fabric card each, with two cables between the fabric cards. */
export function pairOfChassis(): Scene {
  return {
    name: "pair",
    kind: "levels",
    hardware: null,
    switches: {
      name: ["line a", "fabric a", "line b", "fabric b"],
      x: [0, 0, 100, 100],
      y: [100, 0, 100, 0],
      level: [0, 1, 0, 1],
      chassis: [0, 0, 1, 1],
      hosts: [1, 0, 2, 0],
    },
    hosts: { name: ["h0", "h1", "h2"], switch: [0, 2, 2], service: [false, false, true] },
    cables: {
      a: [0, 1, 3, 2],
      b: [1, 3, 1, 3],
      port_a: ["1", "2", "2", "1"],
      port_b: ["1", "2", "3", "1"],
      gbit_per_s: [100, 100, null, 100],
    },
    chassis: [
      { name: "director a", x: 0, y: 50 },
      { name: "director b", x: 100, y: 50 },
    ],
    routings: [{ name: "updown", words: "up*/down*" }],
  };
}

/** Errors of its cables. */
export function errors(): Layer {
  return {
    name: "errors",
    words: "Errors that ports have counted.",
    unit: "errors",
    forward: [0, 1, null, 99],
    back: [0, 0, 3, 0],
    notes: { "3": "line b port 1 counts 99" },
    steep: true,
    switches: null,
    switch_notes: {},
  };
}

/** Two jobs on its hosts: h0 sends to h1 from 0 to 60 ns, h2 to h0 from 40 to 100. */
export function twoJobs(): Recording {
  return {
    routing: "updown",
    end_ns: 100,
    jobs: ["one", "other"],
    ranks: { job: [0, 0, 1, 1], host: [0, 1, 2, 0], activities: ["ss..", "wwr.", "cs..", "wwwr"] },
    messages: { sent_ns: [0, 40, 50], there_ns: [60, 100, 70], source: [0, 2, 3], destination: [1, 3, 0], bytes: [64, 4096, 8] },
    one_in: 1,
  };
}

/** The same as it comes from a file or a server. */
export function asData(): Record<string, unknown> {
  return JSON.parse(JSON.stringify({ format: "weft-scene", version: 1, ...pairOfChassis() }));
}

/** Columns × rows of switches, each joined to those to its right and below. */
export function gridOf(columns: number, rows: number): Scene {
  const count = columns * rows;
  const numbers = Array.from({ length: count }, (_, at) => at);
  const cables = numbers.flatMap((at) => [
    ...(at % columns < columns - 1 ? [[at, at + 1]] : []),
    ...(at + columns < count ? [[at, at + columns]] : []),
  ]) as [number, number][];
  return {
    name: "grid",
    kind: "grid",
    switches: {
      name: numbers.map((at) => `s${at}`),
      x: numbers.map((at) => 10 * (at % columns)),
      y: numbers.map((at) => 10 * Math.floor(at / columns)),
      level: numbers.map(() => null),
      chassis: numbers.map(() => null),
      hosts: numbers.map(() => 0),
    },
    hosts: { name: [], switch: [], service: [] },
    cables: {
      a: cables.map(([a]) => a),
      b: cables.map(([, b]) => b),
      port_a: cables.map(() => "1"),
      port_b: cables.map(() => "2"),
      gbit_per_s: cables.map(() => null),
    },
    chassis: [],
    routings: [],
  };
}
