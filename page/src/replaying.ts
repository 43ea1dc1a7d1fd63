// Jobs as they are played: which messages are under way at a moment, and where.

import type { Mark } from "./marks";
import type { Recording } from "./scene";
import { Slices } from "./slices";
import type { Theme } from "./theme";

/** Most messages that are drawn at a time. */
export const MOST_DRAWN = 300;

/** What a rank does, by the letter of a bin. */
export const ACTIVITIES: readonly (readonly [string, string])[] = [
  ["c", "compute"],
  ["s", "send"],
  ["r", "receive"],
  ["a", "wait to be acknowledged"],
  ["w", "wait for a packet"],
  [".", "are at their end"],
];

export class Replayer {
  /** Different pairs of hosts that messages go between. */
  readonly pairs: readonly (readonly [number, number])[];
  private readonly pairOf: Int32Array;
  private readonly slices: Slices;

  constructor(readonly recording: Recording) {
    const { messages, ranks } = recording;
    const known = new Map<string, number>();
    const pairs: [number, number][] = [];
    this.pairOf = Int32Array.from(messages.source, (source, at) => {
      const ends = [ranks.host[source], ranks.host[messages.destination[at] as number]] as [number, number];
      if (ends[0] === ends[1]) return -1;
      const key = ends.join();
      const found = known.get(key) ?? pairs.push(ends) - 1;
      known.set(key, found);
      return found;
    });
    this.pairs = pairs;
    this.slices = new Slices(recording.end_ns);
    messages.sent_ns.forEach((sent, at) => this.slices.add(at, sent, messages.there_ns[at] as number));
  }

  /** Messages under way at a moment, the longest first. */
  underWay(time_ns: number): number[] {
    const { sent_ns, there_ns, bytes } = this.recording.messages;
    const found = this.slices.around(time_ns).filter(
      (at) => (sent_ns[at] as number) <= time_ns && time_ns < (there_ns[at] as number),
    );
    return found.sort((one, other) => (bytes[other] as number) - (bytes[one] as number) || one - other);
  }

  /** How many ranks do what, by letter. */
  doing(time_ns: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const row of this.recording.ranks.activities) {
      const at = Math.min(Math.floor((time_ns / this.recording.end_ns) * row.length), row.length - 1);
      const letter = row[Math.max(at, 0)] as string;
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    return counts;
  }

  /** Ways of messages in the colours of their jobs, and how far each has come. */
  marks(time_ns: number, ways: readonly (readonly number[])[], theme: Theme): Mark[] {
    const { messages, ranks } = this.recording;
    const drawn = this.underWay(time_ns).slice(0, MOST_DRAWN);
    const lines: Mark[] = [];
    const dots: Mark[] = [];
    for (const at of drawn) {
      const pair = this.pairOf[at] as number;
      const way = pair < 0 ? [] : (ways[pair] ?? []);
      const job = ranks.job[messages.source[at] as number] as number;
      const colour = theme.jobs[job % theme.jobs.length] ?? theme.accent;
      const [sent, there] = [messages.sent_ns[at] as number, messages.there_ns[at] as number];
      const along = ((time_ns - sent) / (there - sent)) * way.length;
      way.forEach((code, place) => {
        const [cable, forward] = [code >> 1, code % 2 === 0];
        lines.push({ is: "channel", cable, forward, colour, width: 3 });
        if (place === Math.floor(along)) {
          const to = along - place;
          dots.push({ is: "packet", cable, forward, from: Math.max(to - 0.25, 0), to, colour });
        }
      });
    }
    return [...lines, ...dots];
  }
}
