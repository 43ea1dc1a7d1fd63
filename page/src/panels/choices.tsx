// What is asked about: routing, traffic, failures.

import { useMemo } from "preact/hooks";
import type { Model } from "../model";
import type { State } from "../questions";
import { cableName, switchName } from "../words";
import { Act, Choose, Find } from "./parts";

const UNIFORM = { name: "uniform", words: "Every host sends to all others alike." };

export function Choices(props: { model: Model; state: State; choose: (change: Partial<State>) => void }) {
  const { model, state, choose } = props;
  const { scene } = model;
  const patterns = useMemo(
    () => [...(scene.patterns?.some((one) => one.name === "uniform") ? [] : [UNIFORM]), ...(scene.patterns ?? [])],
    [scene],
  );
  const parts = useMemo(() => failable(model), [model]);
  const fail = (index: number): void => {
    const cables = scene.cables.a.length;
    if (index < cables) choose({ failed_cables: withOne(state.failed_cables, index) });
    else choose({ failed_switches: withOne(state.failed_switches, index - cables) });
  };
  return (
    <div class="choices">
      <Choose label="Routing" value={state.routing} choices={scene.routings} chosen={(routing) => choose({ routing })} />
      <Choose label="Traffic" value={state.pattern} choices={patterns} chosen={(pattern) => choose({ pattern })} />
      {scene.presets && state.hardware && (
        <Choose label="Hardware" value={state.hardware} choices={scene.presets} areAll chosen={(hardware) => choose({ hardware })} />
      )}
      <Find label="Fail a cable or switch" names={parts} found={fail} />
      <Failures model={model} state={state} choose={choose} />
    </div>
  );
}

function Failures(props: { model: Model; state: State; choose: (change: Partial<State>) => void }) {
  const { state, choose } = props;
  const { scene } = props.model;
  if (!state.failed_cables.length && !state.failed_switches.length) return <p class="hint">Nothing has failed.</p>;
  return (
    <ul class="failures" aria-label="What has failed">
      {state.failed_switches.map((index) => (
        <li key={`switch ${index}`}>
          switch <bdi>{switchName(scene, index)}</bdi>{" "}
          <Act does={() => choose({ failed_switches: without(state.failed_switches, index) })}>Restore</Act>
        </li>
      ))}
      {state.failed_cables.map((index) => (
        <li key={`cable ${index}`}>
          cable <bdi>{cableName(scene, index)}</bdi>{" "}
          <Act does={() => choose({ failed_cables: without(state.failed_cables, index) })}>Restore</Act>
        </li>
      ))}
    </ul>
  );
}

/** Names of all cables, then of all switches. */
function failable(model: Model): string[] {
  const { scene } = model;
  return [
    ...scene.cables.a.map((_, cable) => cableName(scene, cable)),
    ...scene.switches.name.map((_, index) => switchName(scene, index)),
  ];
}

export function withOne(numbers: readonly number[], one: number): number[] {
  return [...new Set([...numbers, one])].sort((a, b) => a - b);
}

export function without(numbers: readonly number[], one: number): number[] {
  return numbers.filter((number) => number !== one);
}
