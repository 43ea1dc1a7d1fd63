// A deadlock, packet by packet: what each holds and waits for.

import type { Model } from "../model";
import type { CycleStep } from "../questions";
import { cableName, hostName } from "../words";
import { Act } from "./parts";

export function CyclePanel(props: { model: Model; cycle: readonly CycleStep[]; step: number }) {
  const { model, cycle } = props;
  const step = props.step % cycle.length;
  const go = (to: number): void => model.go({ step: (to + cycle.length) % cycle.length });
  const held = cycle[step] as CycleStep;
  const wanted = cycle[(step + 1) % cycle.length] as CycleStep;
  return (
    <>
      <p>
        {cycle.length} packets wait for one another in a circle; none can go on.
      </p>
      <p class="acts">
        <Act does={() => go(step - 1)}>Packet before</Act>
        <Act does={() => go(step + 1)}>Next packet</Act>
      </p>
      <p class="headline">
        <strong>
          Packet {step + 1} of {cycle.length}
        </strong>{" "}
        from <bdi>{hostName(model.scene, held.source)}</bdi> to <bdi>{hostName(model.scene, held.destination)}</bdi> holds{" "}
        {channel(model, held)} and waits for {channel(model, wanted)}.
      </p>
      <ol class="cycle">
        {cycle.map((one, at) => (
          <li key={at} aria-current={at === step ? "step" : undefined}>
            <button type="button" onClick={() => go(at)}>
              {one.words}
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

function channel(model: Model, step: CycleStep): string {
  const name = step.cable === null ? step.words : cableName(model.scene, step.cable, step.forward);
  return `${name}, lane ${step.lane}`;
}
