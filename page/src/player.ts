// A run as it is played: where each packet is at a cycle.

import type { Packet, PacketHop, RunAnswer } from "./questions";
import { Slices } from "./slices";

/** The cycle that is shown, told to who follows it. */
export class Clock {
  cycle = 0;
  private readonly listeners = new Set<(cycle: number) => void>();

  set(cycle: number): void {
    this.cycle = cycle;
    for (const listener of this.listeners) listener(cycle);
  }

  listen(listener: (cycle: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export interface Train {
  readonly packet: number;
  readonly cable: number;
  readonly forward: boolean;
  /** Where its tail and head are on the cable, 0…1. */
  readonly from: number;
  readonly to: number;
}

export class Player {
  /** The last cycle. */
  readonly end: number;
  /** Cycles a head takes over a cable where nothing is in its way. */
  readonly flight: number;
  private readonly slices: Slices;
  private readonly generated: Float64Array;
  private readonly delivered: Float64Array;

  constructor(readonly run: RunAnswer) {
    const end = Math.max(run.cycles, 1);
    let flight = Infinity;
    for (const packet of run.packets) {
      packet.hops.forEach((hop, at) => {
        const next = packet.hops[at + 1];
        if (hop.cable !== null && next && begin(next) > begin(hop)) flight = Math.min(flight, begin(next) - begin(hop));
      });
    }
    this.end = end;
    this.flight = flight < Infinity ? flight : 1;
    this.slices = new Slices(end);
    run.packets.forEach((packet, index) => this.slices.add(index, packet.generated, packet.delivered ?? end));
    this.generated = Float64Array.from(run.packets, (packet) => packet.generated).sort();
    const delivered = run.packets.flatMap((packet) => (packet.delivered === null ? [] : [packet.delivered]));
    this.delivered = Float64Array.from(delivered).sort();
  }

  /**
   * Packets on cables between switches at a cycle.
   *
   * A head flies from when it set out and then waits at the end of its cable; what follows without a pause is
   * one train, what was stopped comes in a train of its own. What waits is there until the last flit sets out
   * on the next cable.
   */
  trains(cycle: number): Train[] {
    const found: Train[] = [];
    const way = (since: number): number => Math.min(Math.max((cycle - since) / this.flight, 0), 1);
    for (const index of this.slices.around(cycle)) {
      const packet = this.run.packets[index] as Packet;
      packet.hops.forEach(({ cable, forward, stretches }, at) => {
        if (cable === null) return;
        const next = packet.hops[at + 1];
        const end = stretches[stretches.length - 1]?.[1] ?? 0;
        const leaves = next ? (next.stretches[next.stretches.length - 1]?.[1] ?? 0) : packet.delivered === null ? Infinity : end;
        let isWaiting = false;
        for (const [head, tail] of stretches) {
          if (cycle < head || cycle > Math.max(tail + this.flight, leaves)) continue;
          const from = way(tail);
          if (from === 1 && isWaiting) continue;
          isWaiting ||= from === 1;
          found.push({ packet: index, cable, forward, from, to: way(head) });
        }
      });
    }
    return found;
  }

  /** How many packets are made, delivered and under way until a cycle. */
  counts(cycle: number): { generated: number; delivered: number } {
    return { generated: until(this.generated, cycle), delivered: until(this.delivered, cycle) };
  }
}

/** The cycle in which a head sets out. */
function begin(hop: PacketHop): number {
  return hop.stretches[0]?.[0] ?? 0;
}

/** How many of sorted numbers are at most a number. */
function until(sorted: Float64Array, most: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
