// A run as it is played: where each packet is at a cycle.

import type { Packet, RunAnswer } from "./questions";

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

/** Trains are looked up by the slices of time that they are under way in. */
const SLICES = 512;

export class Player {
  /** The last cycle that anything happens in. */
  readonly end: number;
  /** Cycles a head takes over a cable where nothing is in its way. */
  readonly flight: number;
  private readonly slices: number[][];
  private readonly generated: Float64Array;
  private readonly delivered: Float64Array;

  constructor(readonly run: RunAnswer) {
    let [end, flight] = [1, Infinity];
    for (const packet of run.packets) {
      end = Math.max(end, packet.delivered ?? 0, packet.generated, ...packet.hops.map((hop) => hop.tail));
      packet.hops.forEach((hop, at) => {
        const next = packet.hops[at + 1];
        if (hop.cable !== null && next && next.head > hop.head) flight = Math.min(flight, next.head - hop.head);
      });
    }
    this.end = end;
    this.flight = flight < Infinity ? flight : 1;
    this.slices = Array.from({ length: SLICES }, () => []);
    run.packets.forEach((packet, index) => {
      const last = packet.hops[packet.hops.length - 1];
      const [from, to] = [this.slice(packet.generated), this.slice(packet.delivered ?? last?.tail ?? end)];
      for (let at = from; at <= to; at++) this.slices[at]?.push(index);
    });
    this.generated = Float64Array.from(run.packets, (packet) => packet.generated).sort();
    const delivered = run.packets.flatMap((packet) => (packet.delivered === null ? [] : [packet.delivered]));
    this.delivered = Float64Array.from(delivered).sort();
  }

  private slice(cycle: number): number {
    return Math.min(Math.floor((cycle / this.end) * SLICES), SLICES - 1);
  }

  /** Packets on cables between switches at a cycle. */
  trains(cycle: number): Train[] {
    const found: Train[] = [];
    for (const index of this.slices[this.slice(cycle)] ?? []) {
      const packet = this.run.packets[index] as Packet;
      packet.hops.forEach((hop) => {
        if (hop.cable === null || cycle < hop.head || cycle > hop.tail) return;
        // The head flies and then waits at the end of the cable; the tail flies when its time comes.
        const to = Math.min((cycle - hop.head) / this.flight, 1);
        const leaves = Math.max(hop.tail - this.flight, hop.head);
        const from = Math.min(Math.max((cycle - leaves) / this.flight, 0), 1);
        const { cable, forward } = hop;
        found.push({ packet: index, cable, forward, from: Math.min(from, to), to });
      });
    }
    return found;
  }

  /** How many packets are made, delivered and under way until a cycle. */
  counts(cycle: number): { generated: number; delivered: number } {
    return { generated: until(this.generated, cycle), delivered: until(this.delivered, cycle) };
  }
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
