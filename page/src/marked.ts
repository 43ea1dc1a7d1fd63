// Which marks stand for what was picked, for a deadlock's cycle and for packets under way.

import type { View } from "./address";
import type { Answers } from "./answers";
import type { Mark } from "./marks";
import type { Train } from "./player";
import type { CycleStep, State, Way } from "./questions";
import type { Scene } from "./scene";
import type { Colour, Theme } from "./theme";

export function failureMarks(state: State, theme: Theme): Mark[] {
  return [
    ...state.failed_cables.map((cable): Mark => ({ is: "cross", cable, colour: theme.bad })),
    ...state.failed_switches.map((index): Mark => ({ is: "switch", switch: index, colour: theme.bad, words: "failed" })),
  ];
}

/** Marks of what was picked; a route is asked for, and shown once it is there. */
export function pickedMarks(view: View, state: State, scene: Scene, answers: Answers, theme: Theme): Mark[] {
  const { picked } = view;
  if (!picked) return [];
  if ("cable" in picked) {
    const [a, b] = [scene.cables.a[picked.cable] as number, scene.cables.b[picked.cable] as number];
    return [
      { is: "cable", cable: picked.cable, colour: theme.accent, width: 6 },
      { is: "switch", switch: a, colour: theme.accent },
      { is: "switch", switch: b, colour: theme.accent },
    ];
  }
  if ("switch" in picked) return [{ is: "switch", switch: picked.switch, colour: theme.accent }];
  const { source, destination } = picked;
  const ends: Mark[] = [
    { is: "switch", switch: scene.hosts.switch[source] as number, colour: theme.accent, words: "from" },
    { is: "switch", switch: scene.hosts.switch[destination] as number, colour: theme.other, words: "to" },
  ];
  const answer = answers.to({ question: "pair", state, source, destination });
  if (answer.is !== "there") return ends;
  return [...way(answer.answer.back, theme.other, 3), ...way(answer.answer.there, theme.accent, 5), ...ends];
}

function way(found: Way, colour: Colour, width: number): Mark[] {
  // Of packets that choose, all that they may take, wide where many do.
  if (found.choices) {
    return found.choices.map(({ part, ...channel }) => ({ is: "channel", ...channel, colour, width: 1 + width * part }));
  }
  return found.hops.flatMap((hop): Mark[] =>
    hop.cable === null || hop.forward === null
      ? []
      : [{ is: "channel", cable: hop.cable, forward: hop.forward, colour, width }],
  );
}

/** The circle of a deadlock, with what one packet holds and what it waits for. */
export function cycleMarks(cycle: readonly CycleStep[], step: number | null, theme: Theme): Mark[] {
  const at = step === null ? null : step % cycle.length;
  const marks: Mark[] = [];
  cycle.forEach((one, index) => {
    if (one.cable === null) return;
    const isHeld = index === at;
    const isWanted = at !== null && index === (at + 1) % cycle.length;
    marks.push({
      is: "channel",
      cable: one.cable,
      forward: one.forward,
      colour: isHeld ? theme.accent : theme.bad,
      width: isHeld || isWanted ? 6 : 3,
      ...(isHeld ? { words: "holds" } : isWanted ? { words: "waits for" } : {}),
    });
  });
  return marks;
}

export function trainMarks(trains: readonly Train[], theme: Theme): Mark[] {
  return trains.map(({ cable, forward, from, to }) => ({
    is: "packet",
    cable,
    forward,
    from,
    to,
    colour: theme.accent,
  }));
}
