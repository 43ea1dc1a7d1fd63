import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "../src/player";
import type { PacketHop } from "../src/questions";

const hop = (cable: number | null, ...stretches: [number, number][]): PacketHop => ({
  cable,
  host: cable === null ? 0 : null,
  forward: true,
  lane: 0,
  stretches,
});

const run = {
  unit_ns: 10,
  cycles: 120,
  whole: true,
  waiting: null,
  packets: [
    {
      source: 0,
      destination: 1,
      generated: 0,
      delivered: 100,
      // Held up for 30 cycles at the end of cable 5.
      hops: [hop(null, [0, 8]), hop(5, [10, 18]), hop(6, [50, 58]), hop(null, [60, 68])],
    },
    // Stands at the end of cable 7 for ever.
    { source: 1, destination: 0, generated: 40, delivered: null, hops: [hop(null, [45, 53]), hop(7, [60, 68])] },
  ],
};

test("a head flies over a cable, then waits at its end; its tail follows", () => {
  const player = new Player(run);
  assert.equal(player.flight, 10);
  assert.equal(player.end, 120);
  const at = (cycle: number) => player.trains(cycle).map(({ cable, from, to }) => [cable, from, to]);
  assert.deepEqual(at(5), []);
  assert.deepEqual(at(15), [[5, 0, 0.5]]);
  assert.deepEqual(at(23), [[5, 0.5, 1]]);
  assert.deepEqual(at(40), [[5, 1, 1]]);
  assert.deepEqual(at(55), [[5, 1, 1], [6, 0, 0.5]]);
  assert.deepEqual(at(66), [[6, 0.8, 1], [7, 0, 0.6]]);
  assert.deepEqual(at(110), [[7, 1, 1]]);
});

test("a train that is stopped goes on as another", () => {
  const packet = {
    source: 0,
    destination: 1,
    generated: 0,
    delivered: 100,
    hops: [hop(null, [0, 60]), hop(5, [10, 14], [40, 44]), hop(6, [20, 22], [50, 56]), hop(null, [30, 66])],
  };
  const player = new Player({ ...run, packets: [packet] });
  const at = (cycle: number) => player.trains(cycle).map(({ cable, from, to }) => [cable, from, to]);
  assert.deepEqual(at(12), [[5, 0, 0.2]]);
  // What is left of the first waits in front of the switch until it leaves at last.
  assert.deepEqual(at(35), [[5, 1, 1], [6, 1, 1]]);
  assert.deepEqual(at(45), [[5, 1, 1], [5, 0.1, 0.5], [6, 1, 1]]);
  assert.deepEqual(at(57), [[6, 1, 1], [6, 0.1, 0.7]]);
});

test("packets are counted as they are made and delivered", () => {
  const player = new Player(run);
  assert.deepEqual(player.counts(0), { generated: 1, delivered: 0 });
  assert.deepEqual(player.counts(99.5), { generated: 2, delivered: 0 });
  assert.deepEqual(player.counts(100), { generated: 2, delivered: 1 });
});

test("a run without packets ends at once", () => {
  const player = new Player({ unit_ns: 1, cycles: 0, whole: true, packets: [], waiting: null });
  assert.deepEqual(player.trains(0), []);
  assert.deepEqual(player.counts(1), { generated: 0, delivered: 0 });
});
