// Plays a run: packets as they move, at a chosen speed.

import { useState } from "preact/hooks";
import type { Run } from "../address";
import { usePlayed } from "../hooks";
import type { Model } from "../model";
import type { Clock, Player } from "../player";
import type { State } from "../questions";
import { duration, hostName, quantity, visible } from "../words";
import { Act, Told } from "./parts";

const FIRST: Run = { load: 0.3, cycles: 50_000, seed: 1 };
/** Nanoseconds of the network in a second. */
const SPEEDS = [30, 100, 300, 1000, 3000, 10_000];

export function RunPanel(props: { model: Model; state: State; clock: Clock; player: Player | null }) {
  const { model, state, clock, player } = props;
  const run = model.view.run;
  const [wanted, setWanted] = useState<Run>(run ?? FIRST);
  const field = (key: keyof Run, label: string, min: number, max: number, step: number) => (
    <label>
      {label}{" "}
      <input
        type="number"
        value={wanted[key]}
        min={min}
        max={max}
        step={step}
        onChange={(event) => setWanted({ ...wanted, [key]: Number(event.currentTarget.value) })}
      />
    </label>
  );
  return (
    <>
      <form
        class="run"
        onSubmit={(event) => {
          event.preventDefault();
          clock.set(0);
          model.go({ run: wanted });
        }}
      >
        {field("load", "Load, of the host link rate", 0.01, 1, 0.01)}
        {field("cycles", "Cycles", 100, 1_000_000, 100)}
        {field("seed", "Seed", 0, 4294967295, 1)}
        <button type="submit">Simulate</button>
      </form>
      {run && (
        <Told answer={model.answers.to({ question: "run", state, ...run })}>
          {() => player && <Controls model={model} player={player} clock={clock} />}
        </Told>
      )}
    </>
  );
}

function Controls(props: { model: Model; player: Player; clock: Clock }) {
  const { model, player, clock } = props;
  const [speed, setSpeed] = useState(300);
  const { unit_ns } = player.run;
  const { time: cycle, isPlaying, setPlaying } = usePlayed(clock, player.end, speed / unit_ns);
  const { generated, delivered } = player.counts(cycle);
  return (
    <>
      <p class="acts">
        <Act does={() => setPlaying(!isPlaying)} isPressed={isPlaying}>
          Play
        </Act>
        <label>
          Speed{" "}
          <select value={String(speed)} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
            {SPEEDS.map((one) => (
              <option key={one} value={String(one)}>
                {duration(one)} a second
              </option>
            ))}
          </select>
        </label>
      </p>
      <label class="timeline">
        Cycle {quantity(Math.floor(cycle), 12)} of {quantity(Math.ceil(player.end), 12)},{" "}
        {duration(cycle * unit_ns)} of {duration(player.end * unit_ns)}
        <input
          type="range"
          min={0}
          max={Math.ceil(player.end)}
          step={1}
          value={Math.floor(cycle)}
          onInput={(event) => {
            setPlaying(false);
            clock.set(Number(event.currentTarget.value));
          }}
        />
      </label>
      <p>
        {quantity(generated, 12)} packets made, {quantity(delivered, 12)} delivered,{" "}
        {quantity(generated - delivered, 12)} under way
        {player.run.whole ? "." : "; more cycles were asked for, but too many packets moved."}
      </p>
      {player.run.waiting && (
        <>
          <p class="verdict bad">
            <strong>Deadlock.</strong> {player.run.waiting.length} packets wait for one another:
          </p>
          <ol>
            {player.run.waiting.map((one, at) => (
              <li key={at}>
                <bdi>{hostName(model.scene, one.source)}</bdi> → <bdi>{hostName(model.scene, one.destination)}</bdi> holds{" "}
                {visible(one.words)}, lane {one.lane}
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}
