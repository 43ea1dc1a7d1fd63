import assert from "node:assert/strict";
import { test } from "node:test";
import { bundled, isAlong } from "../src/bundles";
import { fitted, inScene, lensOf, moved, onScreen, zoomed } from "../src/camera";
import { groundOf, MOST_LINES } from "../src/ground";
import { Room } from "../src/labels";
import { busiestOf, detailAt, pictured, slotOf } from "../src/picture";
import { Sight } from "../src/sight";
import { DARK, LIGHT } from "../src/theme";
import { gridOf, pairOfChassis } from "./scenes";

const NOTHING = { cables: new Set<number>(), switches: new Set<number>() };
const SIZE = { width: 800, height: 600 };

test("cables between two open chassis are one bundle, and one more in each", () => {
  const bundles = bundled(pairOfChassis(), () => true);
  assert.deepEqual([...bundles.a], [0, 1, 2]);
  assert.deepEqual([...bundles.b], [1, 3, 3]);
  assert.deepEqual([...bundles.start], [0, 1, 3, 4]);
  assert.deepEqual([...bundles.cables], [0, 1, 2, 3]);
});

test("a closed chassis hides its own cables, and bundles end at it", () => {
  const scene = pairOfChassis();
  const closed = bundled(scene, () => false);
  assert.deepEqual([[...closed.a], [...closed.b]], [[4], [5]]);
  assert.deepEqual([...closed.of], [-1, 0, 0, -1]);
  assert.deepEqual([isAlong(closed, scene, 1), isAlong(closed, scene, 2)], [true, false]);
  const half = bundled(scene, (chassis) => chassis === 1);
  assert.deepEqual([[...half.a], [...half.b]], [[3, 2], [4, 3]]);
});

test("the busiest channel of a bundle is found whichever way it goes, and never a failed one", () => {
  const scene = pairOfChassis();
  const bundles = bundled(scene, () => true);
  const heat = { forward: [1, 5, 2, 0], back: [0, 3, 9, 0], end: 9, isDifference: false };
  assert.deepEqual(busiestOf(scene, bundles, heat, NOTHING, 1), { load: 9, cable: 2, isCut: false });
  const failed = { cables: new Set([2]), switches: new Set<number>() };
  assert.deepEqual(busiestOf(scene, bundles, heat, failed, 1), { load: 5, cable: 1, isCut: false });
  const off = { cables: new Set<number>(), switches: new Set([3]) };
  assert.equal(busiestOf(scene, bundles, heat, off, 1).isCut, true);
});

test("of a difference, the largest change either way counts", () => {
  const scene = pairOfChassis();
  const heat = { forward: [0, -7, 2, 0], back: [0, 3, 0, 0], end: 7, isDifference: true };
  assert.equal(busiestOf(scene, bundled(scene, () => true), heat, NOTHING, 1).load, -7);
});

test("slots of a bundle lie beside its middle, both ways of a cable beside each other", () => {
  const bundles = bundled(pairOfChassis(), () => true);
  const slots = [1, 2].flatMap((cable) => [slotOf(bundles, cable, false), slotOf(bundles, cable, true)]);
  assert.deepEqual(slots, [-1.5, -0.5, 0.5, 1.5]);
});

for (const steepest of [Infinity, 4]) {
  test(`a point of the screen comes back from the scene, and stays where one zooms, to ${steepest}`, () => {
    const limits = { whole: 1, spacing: 10, steepest };
    const lens = lensOf({ x: 30, y: -5, scale: 2 }, steepest);
    const [x, y] = inScene(lens, SIZE, 100, 500);
    assert.deepEqual(onScreen(lens, SIZE, x, y), [100, 500]);
    const near = lensOf(zoomed(lens, SIZE, 3, [100, 500], limits), steepest);
    assert.deepEqual([near.scale, near.down], [6, Math.min(6, steepest)]);
    const after = onScreen(near, SIZE, x, y);
    assert.ok(Math.hypot(after[0] - 100, after[1] - 500) < 1e-9);
    const beside = onScreen(lensOf(moved(near, 7, -9), steepest), SIZE, x, y);
    assert.ok(Math.hypot(beside[0] - 107, beside[1] - 491) < 1e-9);
  });
}

test("zooming ends far out and far in", () => {
  const limits = { whole: 1, spacing: 10, steepest: Infinity };
  const lens = lensOf({ x: 0, y: 0, scale: 1 }, Infinity);
  assert.equal(zoomed(lens, SIZE, 1e-9, [0, 0], limits).scale, 0.5);
  assert.equal(zoomed(lens, SIZE, 1e9, [0, 0], limits).scale, 200);
});

test("all of a network is on the screen at first", () => {
  const grid = gridOf(40, 3);
  const rows = { ...grid, switches: { ...grid.switches, level: grid.switches.y.map((y) => y / 10) } };
  for (const ground of [groundOf(grid), groundOf(rows)]) {
    const lens = lensOf(fitted(ground.box, SIZE, ground.steepest), ground.steepest);
    for (let at = 0; at < ground.x.length; at++) {
      const [x, y] = onScreen(lens, SIZE, ground.x[at] as number, ground.y[at] as number);
      assert.ok(x >= 0 && x <= SIZE.width && y >= 0 && y <= SIZE.height);
    }
  }
});

test("a grid is drawn as it is, rows of levels are drawn apart", () => {
  const grid = groundOf(gridOf(40, 3));
  assert.equal(grid.box.bottom, 20);
  assert.equal(grid.spacing, 10);
  const rows = groundOf({ ...gridOf(40, 3), switches: { ...gridOf(40, 3).switches, level: gridOf(40, 3).switches.y } });
  assert.ok(rows.box.bottom > 100);
  // However near one is, two rows are on the screen together.
  assert.ok(((rows.box.bottom - rows.box.top) / 2) * lensOf({ x: 0, y: 0, scale: 1e6 }, rows.steepest).down < 500);
});

test("what is below a point is the node, then the line, then nothing", () => {
  const scene = gridOf(3, 2);
  const ground = groundOf(scene);
  const bundles = bundled(scene, () => true);
  const picture = pictured(scene, ground, bundles, null, NOTHING, LIGHT);
  const place = fitted(ground.box, SIZE, ground.steepest);
  const sight = new Sight(scene, ground, bundles, place, SIZE);
  const [x, y] = sight.ofSwitch(0);
  assert.deepEqual(sight.hit(picture, x, y, 5), { is: "node", place: 0 });
  const ends = sight.cable(0);
  assert.ok(ends);
  const middle = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2] as const;
  assert.deepEqual(sight.hit(picture, middle[0], middle[1] + 2, 5), { is: "bundle", bundle: 0 });
  assert.equal(sight.hit(picture, middle[0], middle[1] + 8, 5), null);
});

test("from near, each way of a cable is hit by itself and ends where its cable does", () => {
  const scene = pairOfChassis();
  const ground = groundOf(scene);
  const bundles = bundled(scene, () => true);
  const picture = pictured(scene, ground, bundles, null, NOTHING, LIGHT);
  const sight = new Sight(scene, ground, bundles, { x: 50, y: 0, scale: 3 }, SIZE);
  assert.equal(sight.isNear, true);
  for (const cable of [1, 2]) {
    for (const forward of [true, false]) {
      const ends = sight.channel(cable, forward);
      assert.ok(ends);
      const [x, y] = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2];
      assert.deepEqual(sight.hit(picture, x, y, 2), { is: "cable", cable });
      const from = scene.cables[forward ? "a" : "b"][cable] as number;
      const at = sight.ofSwitch(from);
      assert.ok(Math.hypot(at[0] - ends[0][0], at[1] - ends[0][1]) < 40);
    }
  }
});

test("of lines that lie together, the busiest is kept, and every bundle where there is room", () => {
  const scene = gridOf(300, 10);
  const ground = groundOf(scene);
  const bundles = bundled(scene, () => true);
  const loads = scene.cables.a.map((_, cable) => cable);
  const heat = { forward: loads, back: loads, end: loads.length, isDifference: false };
  const picture = pictured(scene, ground, bundles, heat, NOTHING, LIGHT);
  assert.equal(picture.bundles.count, scene.cables.a.length);
  assert.ok(picture.crowds.count < picture.bundles.count / 1.5);
  assert.equal(picture.crowds.of[picture.crowds.count - 1], scene.cables.a.length - 1);
  const { scale } = fitted(ground.box, SIZE, ground.steepest);
  assert.equal(detailAt(ground, scale), "crowds");
  assert.equal(detailAt(ground, 60 * scale), "channels");
});

test("of lines from anywhere to anywhere some are drawn, and near by those that end there", () => {
  const flat = gridOf(200, 100);
  const random = (at: number, prime: number) => (at * prime + 17 * (at % 31)) % 20_000;
  const a = Array.from({ length: 50_000 }, (_, at) => random(at, 7919));
  const b = a.map((end, at) => (end + 1 + random(at, 104_729)) % 20_000);
  const none = a.map(() => null);
  const scene = { ...flat, cables: { a, b, port_a: a.map(() => "1"), port_b: a.map(() => "2"), gbit_per_s: none } };
  const ground = groundOf(scene);
  const bundles = bundled(scene, () => true);
  const picture = pictured(scene, ground, bundles, null, NOTHING, LIGHT);
  assert.ok(picture.crowds.count > 1000 && picture.crowds.count <= MOST_LINES, `${picture.crowds.count}`);
  const whole = fitted(ground.box, SIZE, ground.steepest);
  assert.equal(detailAt(ground, whole.scale), "crowds");
  assert.equal(detailAt(ground, 4 * whole.scale), "bundles");
  const near = new Sight(scene, ground, bundles, { ...whole, scale: 4 * whole.scale }, SIZE);
  const isInside = (index: number): boolean => {
    const [x, y] = near.ofSwitch(index);
    return x >= 0 && x <= SIZE.width && y >= 0 && y <= SIZE.height;
  };
  const expected = Array.from(bundles.a, (_, at) => at).filter(
    (at) => isInside(bundles.a[at] as number) || isInside(bundles.b[at] as number),
  );
  assert.deepEqual([...near.lines(picture).of].sort((one, other) => one - other), expected);
  assert.ok(expected.length < MOST_LINES, `${expected.length}`);
});

test("busy lines are drawn last, failed ones dashed", () => {
  const scene = gridOf(3, 2);
  const bundles = bundled(scene, () => true);
  const loads = scene.cables.a.map((_, cable) => (cable === 2 ? 9 : 1));
  const heat = { forward: loads, back: loads, end: 9, isDifference: false };
  const failed = { cables: new Set([4]), switches: new Set<number>() };
  for (const theme of [LIGHT, DARK]) {
    const { bundles: lines } = pictured(scene, groundOf(scene), bundles, heat, failed, theme);
    assert.equal(lines.of[lines.count - 1], 2);
    const dashed = Array.from(lines.of).filter((_, at) => lines.shape[4 * at + 2] === 1);
    assert.deepEqual(dashed, [4]);
  }
});

test("labels keep their room", () => {
  const room = new Room(SIZE);
  assert.equal(room.take(10, 10, 90, 24), true);
  assert.equal(room.take(80, 20, 160, 34), false);
  assert.equal(room.take(91, 10, 160, 24), true);
  assert.equal(room.take(-1, 40, 20, 54), false);
  assert.equal(room.take(700, 40, 801, 54), false);
});
