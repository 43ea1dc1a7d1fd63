// Tables that change, switch by switch.

import { useEffect, useState } from "preact/hooks";
import type { Change } from "../address";
import { framesOf, partOf } from "../changing";
import type { Model } from "../model";
import type { State, TransitionAnswer, TransitionStep } from "../questions";
import { cableName, counted, quantity, switchName, visible } from "../words";
import { Act, Told } from "./parts";

/** Milliseconds that a step is shown. */
const STEP_MS = 700;
/** So many switches of a step are named. */
const NAMED = 12;

export function ChangePanel(props: { model: Model; state: State; change: Change }) {
  const { model, state, change } = props;
  return (
    <Told answer={model.answers.to({ question: "transition", state, ...partOf(change) })}>
      {(answer) => <Steps model={model} answer={answer} change={change} />}
    </Told>
  );
}

function Steps(props: { model: Model; answer: TransitionAnswer; change: Change }) {
  const { model, answer, change } = props;
  const { scene } = model;
  const [isPlaying, setPlaying] = useState(false);
  const frames = framesOf(answer.steps);
  const done = Math.min(change.done, frames.length);
  const go = (to: number): void => model.go({ change: { ...change, done: Math.min(Math.max(to, 0), frames.length) } });
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (done >= frames.length) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => go(done + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, done]);
  const part = "cable" in change ? `cable ${cableName(scene, change.cable)}` : `switch ${switchName(scene, change.switch)}`;
  const now = frames[done - 1];
  return (
    <>
      <p>
        <bdi>{part}</bdi> has failed, and the tables are {answer.way === "repaired" ? "repaired" : "made anew"}:{" "}
        {counted(answer.changed_entries, "entry is", "entries are")} written, those cleared on the way twice.
      </p>
      <p class={answer.free ? "verdict good" : "verdict bad"}>
        <strong>{answer.free ? "Safe at every moment." : "Not safe at every moment."}</strong>{" "}
        {answer.free
          ? "Packets of old and new entries never wait for one another in a circle."
          : "The tables there are can deadlock until they are gone."}
      </p>
      {answer.drained.length > 0 && (
        <p>
          Nothing is sent for a while to {counted(answer.drained.length, "destination")}:{" "}
          {answer.drained.slice(0, NAMED).map(visible).join(", ")}
          {answer.drained.length > NAMED ? " …" : ""}
        </p>
      )}
      {answer.dropped.length > 0 && (
        <p>Packets to {counted(answer.dropped.length, "destination")} may be lost meanwhile.</p>
      )}
      <p class="acts">
        <Act does={() => { if (done >= frames.length) go(0); setPlaying(!isPlaying); }} isPressed={isPlaying}>Play</Act>
        <Act does={() => go(done - 1)}>Step back</Act>
        <Act does={() => go(done + 1)}>Next step</Act>
        <Act does={() => model.go({ change: null })}>Close</Act>
      </p>
      <label class="timeline">
        {quantity(done, 12)} of {counted(frames.length, "step")} done
        <input type="range" min={0} max={frames.length} step={1} value={done}
          onInput={(event) => { setPlaying(false); go(Number(event.currentTarget.value)); }} />
      </label>
      <p role="status">{now ? words(now.step, now.switch, now.entries, (at) => switchName(scene, at)) : "All entries are the old ones."}</p>
    </>
  );
}

function words(step: TransitionStep, index: number | null, entries: number, name: (index: number) => string): string {
  switch (step.kind) {
    case "write":
      return `${counted(entries, "entry is", "entries are")} written in ${index === null ? "" : name(index)}.`;
    case "write_lanes":
      return `The lane tables of ${index === null ? "" : name(index)} are written, and hosts on it are told.`;
    case "wait":
      return `Nothing goes on until packets of before are gone; they meet ${counted(step.most_switches, "switch", "switches")} at most.`;
    case "answer":
      return `Hosts may be told other service levels of ${counted(step.addresses, "address", "addresses")} from now on.`;
    default:
      return `No host sends to ${counted(step.addresses, "address", "addresses")} by an old service level any more.`;
  }
}
