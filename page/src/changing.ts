// Tables that change, as frames: a switch at a time.

import type { Change } from "./address";
import type { Mark } from "./marks";
import type { TransitionStep } from "./questions";
import type { Theme } from "./theme";

export interface Frame {
  readonly step: TransitionStep;
  /** Which switch is written, of steps that write. */
  readonly switch: number | null;
  readonly entries: number;
}

/** The part that fails, as questions have it. */
export function partOf(change: Change): { cable: number } | { switch: number } {
  return "cable" in change ? { cable: change.cable } : { switch: change.switch };
}

/** What is done at once in any order is shown switch after switch. */
export function framesOf(steps: readonly TransitionStep[]): Frame[] {
  return steps.flatMap((step): Frame[] => {
    if (step.kind === "write") {
      return step.switches.map((index, at) => ({ step, switch: index, entries: step.entries[at] ?? 0 }));
    }
    if (step.kind === "write_lanes") return step.switches.map((index) => ({ step, switch: index, entries: 0 }));
    return [{ step, switch: null, entries: 0 }];
  });
}

/** The part that failed, switches that are written, and the one that is written now. */
export function changeMarks(change: Change, steps: readonly TransitionStep[], theme: Theme): Mark[] {
  const done = framesOf(steps).slice(0, change.done);
  const now = done.at(-1);
  const written = new Set(done.flatMap((frame) => (frame.switch === null ? [] : [frame.switch])));
  const failed: Mark =
    "cable" in change
      ? { is: "cross", cable: change.cable, colour: theme.bad }
      : { is: "switch", switch: change.switch, colour: theme.bad, words: "failed" };
  return [
    failed,
    ...[...written].map((index): Mark =>
      index === now?.switch
        ? { is: "switch", switch: index, colour: theme.accent, words: now.entries ? `${now.entries} written` : "lanes written" }
        : { is: "switch", switch: index, colour: theme.other },
    ),
  ];
}
