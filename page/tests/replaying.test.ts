import assert from "node:assert/strict";
import { test } from "node:test";
import { changeMarks, framesOf } from "../src/changing";
import { heatOfLayer } from "../src/heat";
import { bundled } from "../src/bundles";
import { groundOf } from "../src/ground";
import { pictured, shareOf, weightOf } from "../src/picture";
import type { TransitionStep } from "../src/questions";
import { Replayer } from "../src/replaying";
import { along, LIGHT } from "../src/theme";
import { errors, pairOfChassis, twoJobs } from "./scenes";

test("messages under way at a moment are those sent and not there, the longest first", () => {
  const replayer = new Replayer(twoJobs());
  assert.deepEqual([0, 39, 40, 55, 60, 70, 99, 100].map((time) => replayer.underWay(time)), [
    [0], [0], [1, 0], [1, 0, 2], [1, 2], [1], [1], [],
  ]);
});

test("ranks are counted by what they do", () => {
  const replayer = new Replayer(twoJobs());
  assert.deepEqual([...replayer.doing(0)].sort(), [["c", 1], ["s", 1], ["w", 2]]);
  assert.deepEqual([...replayer.doing(51)].sort(), [[".", 2], ["r", 1], ["w", 1]]);
  assert.deepEqual([...replayer.doing(100)].sort(), [[".", 3], ["r", 1]]);
});

test("pairs of hosts are asked about once, and messages within a host take no way", () => {
  const recording = twoJobs();
  const replayer = new Replayer({ ...recording, ranks: { ...recording.ranks, host: [0, 1, 2, 2] } });
  assert.deepEqual(replayer.pairs, [[0, 1], [2, 0]]);
  assert.deepEqual(new Replayer(recording).pairs, [[0, 1], [2, 0]]);
});

test("a message is as far along its way as its time", () => {
  const replayer = new Replayer(twoJobs());
  const marks = replayer.marks(30, [[0, 3], [1]], LIGHT);
  assert.deepEqual(marks.map((mark) => mark.is), ["channel", "channel", "packet"]);
  const [first, second, dot] = marks as unknown as [{ cable: number; forward: boolean }, { cable: number; forward: boolean }, { cable: number; to: number }];
  assert.deepEqual([first.cable, first.forward, second.cable, second.forward], [0, true, 1, false]);
  assert.deepEqual([dot.cable, dot.to], [1, 0]);
  // Before ways are known, and once all is over, nothing is drawn.
  assert.deepEqual([replayer.marks(30, [], LIGHT), replayer.marks(100, [[0], [1]], LIGHT)], [[], []]);
});

const STEPS: TransitionStep[] = [
  { kind: "write", switches: [2, 0], entries: [5, 1] },
  { kind: "wait", most_switches: 4 },
  { kind: "write", switches: [2], entries: [3] },
];

test("what is written at once is shown switch after switch", () => {
  assert.deepEqual(framesOf(STEPS).map((frame) => [frame.step.kind, frame.switch, frame.entries]), [
    ["write", 2, 5], ["write", 0, 1], ["wait", null, 0], ["write", 2, 3],
  ]);
});

test("the failed part, what is written and what is being written are marked", () => {
  const marks = changeMarks({ cable: 7, done: 2 }, STEPS, LIGHT);
  assert.deepEqual(marks.map((mark) => ("words" in mark ? mark.words : mark.is)), ["cross", "switch", "1 written"]);
  assert.equal(changeMarks({ switch: 1, done: 3 }, STEPS, LIGHT).length, 3);
  assert.equal(changeMarks({ switch: 1, done: 0 }, STEPS, LIGHT).length, 1);
});

test("lane tables are written switch by switch, too", () => {
  const steps: TransitionStep[] = [{ kind: "write_lanes", switches: [3, 1] }];
  assert.deepEqual(framesOf(steps).map((frame) => frame.switch), [3, 1]);
  const marks = changeMarks({ cable: 0, done: 1 }, steps, LIGHT);
  assert.equal(marks.at(-1)?.is === "switch" && "words" in (marks.at(-1) as object), true);
});

test("switches that have figures are coloured by the scale of the cables", () => {
  const scene = pairOfChassis();
  const heat = heatOfLayer({ ...errors(), steep: false, switches: [null, 0, 99, 198], switch_notes: {} });
  assert.equal(heat.end, 198);
  const nothing = { cables: new Set<number>(), switches: new Set<number>() };
  const fills = (isOpen: boolean) => {
    const { nodes } = pictured(scene, groundOf(scene), bundled(scene, () => isOpen), heat, nothing, LIGHT);
    return new Map([...nodes.of].map((of, at) => [of, [...nodes.fill.subarray(4 * at, 4 * at + 3)]]));
  };
  const colour = (share: number) => [...along(LIGHT.heat, share)];
  const open = fills(true);
  assert.deepEqual([1, 2, 3].map((index) => open.get(index)), [colour(0), colour(0.5), colour(1)]);
  assert.notDeepEqual(open.get(0), colour(0));
  // A closed chassis has the colour of its worst switch.
  const worst = [0, 1, 2, 3].filter((index) => scene.switches.chassis[index] === 1);
  assert.ok(worst.includes(3));
  assert.deepEqual(fills(false).get(scene.switches.name.length + 1), colour(1));
});

test("figures that are far apart are coloured by their logarithms", () => {
  const heat = heatOfLayer(errors());
  assert.equal(heat.end, 99);
  assert.ok(Math.abs(shareOf(heat, 9) - 0.5) < 1e-12, "10 is half of the way from 1 to 100");
  assert.deepEqual([shareOf(heat, 0), shareOf(heat, 99), weightOf(heat, 99)], [0, 1, 1]);
  const even = heatOfLayer({ ...errors(), steep: false });
  assert.equal(shareOf(even, 49.5), 0.5);
});
