import assert from "node:assert/strict";
import { test } from "node:test";
import { Damaged, readScene } from "../src/scene";
import { asData } from "./scenes";

type Data = Record<string, Record<string, unknown[]>> & Record<string, unknown>;

test("a scene as it was written is read", () => {
  assert.equal(readScene(asData()).switches.name.length, 4);
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
