import assert from "node:assert/strict";
import { test } from "node:test";
import { firstView, read, type View, written } from "../src/address";
import { errors, pairOfChassis, twoJobs } from "./scenes";

const scene = { ...pairOfChassis(), layers: [errors()] };
const first = firstView(scene);

const view: View = {
  state: { routing: "best:lanes=4 #%&\"", pattern: "hotspot:hosts=ü", failed_cables: [0, 2], failed_switches: [1], hardware: null },
  other: first.state,
  picked: { source: 0, destination: 2 },
  camera: { x: 1.5, y: -2, scale: 0.25 },
  opened: [1],
  run: { load: 0.3, cycles: 100, seed: 7 },
  layer: 0,
  change: { cable: 1, done: 3 },
  step: 2,
};

test("what is seen comes back from its address", () => {
  const text = written(view, first);
  assert.match(text, /^[\w%.!~*'()-]+$/);
  assert.deepEqual(read(`#${text}`, scene), { view, complaint: null });
});

test("the first view needs no address", () => {
  assert.equal(written(first, first), "");
  assert.deepEqual(read("", scene), { view: first, complaint: null });
});

test("what has failed at first is so in the first view, and needs no address", () => {
  const failed = { ...scene, start: { failed_cables: [1], failed_switches: [] } };
  const opened = firstView(failed);
  assert.deepEqual(opened.state.failed_cables, [1]);
  assert.deepEqual(read("", failed).view, opened);
  const restored = { ...opened, state: { ...opened.state, failed_cables: [] } };
  assert.deepEqual(read(written(restored, opened), failed).view, restored);
});

test("where jobs are played, cables have no colours at first, and may have any", () => {
  const playing = { ...scene, recording: twoJobs() };
  const opened = firstView(playing);
  assert.equal(opened.layer, "none");
  for (const layer of [null, 0] as const) {
    const seen = { ...opened, layer };
    assert.deepEqual(read(written(seen, opened), playing).view, seen);
  }
});

test("every kind of pick comes back", () => {
  for (const picked of [{ cable: 3 }, { switch: 0 }, { source: 2, destination: 1 }]) {
    const seen = { ...first, picked };
    assert.deepEqual(read(written(seen, first), scene).view, seen);
  }
});

test("what the network does not have is left out and told of", () => {
  const asked = {
    picked: { cable: 4 },
    opened: [2],
    step: -1,
    layer: 1,
    change: { cable: 9, done: 0 },
    camera: { x: 0, y: 0, scale: 0 },
    run: { load: 2, cycles: 10, seed: 1 },
    state: { ...first.state, failed_switches: [99] },
    __proto__x: 1,
    unknown: 1,
  };
  const { view: seen, complaint } = read(encodeURIComponent(JSON.stringify(asked)), scene);
  assert.deepEqual(seen, first);
  for (const key of Object.keys(asked)) assert.ok(complaint?.includes(key), key);
});

test("an address that was cut short is told of", () => {
  for (const text of ["%7B%22state", "%E0%A4%A", "null", "3"]) {
    const found = read(text, scene);
    assert.deepEqual(found.view, first);
    assert.ok(found.complaint);
  }
});
