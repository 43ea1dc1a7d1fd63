import assert from "node:assert/strict";
import { test } from "node:test";
import { Damaged, readScene } from "../src/scene";
import { asData, errors, twoJobs } from "./scenes";

type Data = Record<string, Record<string, unknown[]>> & Record<string, unknown>;

test("a scene as it was written is read", () => {
  assert.equal(readScene(asData()).switches.name.length, 4);
});

test("a scene with all that may be beside a network is read", () => {
  const start = { failed_cables: [3], failed_switches: [0] };
  const data = { ...asData(), layers: [errors()], start, recording: twoJobs() };
  assert.deepEqual(readScene(data).recording, twoJobs());
});

const DAMAGES: [string, (data: Data) => void, RegExp][] = [
  ["another format", (data) => Object.assign(data, { format: "gif" }), /“gif”/],
  ["another version", (data) => Object.assign(data, { version: 2 }), /version 2/],
  ["no switches", (data) => Object.assign(data, { switches: null }), /the switches/],
  ["a place that is none", (data) => (data.switches!.x![1] = null), /places of switches across.* number 1 is null/],
  ["too few places", (data) => data.switches!.y!.pop(), /3 places of switches down where 4/],
  ["a cable to nowhere", (data) => (data.cables!.b![2] = 4), /ends of cables.* number 2 is 4/],
  ["a host on no switch", (data) => (data.hosts!.switch![0] = -1), /switches of hosts/],
  ["a half of a chassis", (data) => (data.switches!.chassis![0] = 0.5), /chassis of switches/],
  ["a chassis without a place", (data) => Object.assign(data, { chassis: [{ name: "a", x: 1 }] }), /the chassis/],
  ["a name that is none", (data) => (data.hosts!.name![0] = { html: "<b>" }), /names of hosts/],
  ["figures of too few cables", (data) => Object.assign(data, { layers: [{ ...errors(), back: [0] }] }), /1 figures of cables where 4/],
  ["a colouring without a unit", (data) => Object.assign(data, { layers: [{ ...errors(), unit: 3 }] }), /the colourings/],
  ["a figure that is none", (data) => Object.assign(data, { layers: [{ ...errors(), forward: [0, "1", 0, 0] }] }), /figures of cables.* number 1/],
  ["a failure of what is not there", (data) => Object.assign(data, { start: { failed_cables: [4], failed_switches: [] } }), /cables that failed/],
  ["a message of no rank", (data) => Object.assign(data, { recording: { ...twoJobs(), messages: { ...twoJobs().messages, source: [0, 2, 4] } } }), /sources of messages/],
  ["jobs without an end", (data) => Object.assign(data, { recording: { ...twoJobs(), end_ns: null } }), /how long its jobs took/],
  ["ranks of fewer jobs", (data) => Object.assign(data, { recording: { ...twoJobs(), jobs: ["one"] } }), /jobs of ranks/],
  ["a routing without words", (data) => Object.assign(data, { routings: [{ name: "a" }] }), /the routings/],
];

for (const [what, damage, told] of DAMAGES) {
  test(`${what} is told in words`, () => {
    const data = asData() as Data;
    damage(data);
    assert.throws(
      () => readScene(data),
      (error) => error instanceof Damaged && told.test(error.message),
    );
  });
}

test("what is no object at all is told in words", () => {
  for (const value of [null, 3, "scene", [], undefined]) {
    assert.throws(() => readScene(value), Damaged);
  }
});
