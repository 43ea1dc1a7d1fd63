// One switch: its hosts, its busiest cables, what happens without it.

import { busierOf } from "../heat";
import type { Model } from "../model";
import type { RoutingAnswer, State } from "../questions";
import { cableName, counted, hostName, quantity, switchName, visible } from "../words";
import { Without } from "./cable";
import { withOne, without } from "./choices";
import { Act } from "./parts";

const SHOWN = 100;

export function SwitchPanel(props: { model: Model; index: number; state: State; routing: RoutingAnswer | null }) {
  const { model, index, state, routing } = props;
  const { scene } = model;
  const hosts: number[] = [];
  scene.hosts.switch.forEach((at, host) => {
    if (at === index) hosts.push(host);
  });
  const hasFailed = state.failed_switches.includes(index);
  const chassis = scene.switches.chassis[index] ?? null;
  return (
    <>
      <h3>
        Switch <bdi>{switchName(scene, index)}</bdi>
      </h3>
      <p class="hint">
        {counted(hosts.length, "host")}
        {chassis !== null && <> in chassis <bdi>{scene.chassis[chassis]?.name}</bdi></>}
        {hasFailed ? ", failed" : ""}; click another switch to see a route there.
      </p>
      <p class="acts">
        {hasFailed ? (
          <Act does={() => model.choose({ failed_switches: without(state.failed_switches, index) })}>Restore it</Act>
        ) : (
          <Act does={() => model.choose({ failed_switches: withOne(state.failed_switches, index) })}>Let it fail</Act>
        )}
        {chassis !== null && model.view.opened.includes(chassis) && (
          <Act does={() => model.go({ opened: without(model.view.opened, chassis), picked: null })}>Close the chassis</Act>
        )}
      </p>
      {(scene.layers ?? []).map(({ name, unit, switches, switch_notes: notes }, at) =>
        switches && (at === model.view.layer || notes[index]) ? (
          <p key={name}>
            {visible(name)}: {quantity(switches[index] ?? null)} {unit}
            {notes[index] ? `; ${visible(notes[index])}` : ""}
          </p>
        ) : null,
      )}
      {!hasFailed && <Without model={model} of={{ switch: index }} state={state} />}
      <h4>Its cables by load</h4>
      <ul class="shares">
        {cablesOf(model, index, routing).map(({ cable, load }) => (
          <li key={cable}>
            <button type="button" onClick={() => model.go({ picked: { cable } })}>
              <bdi>{cableName(scene, cable, scene.cables.a[cable] === index)}</bdi>
            </button>
            {routing?.loads ? `: at most ${quantity(load)}` : ""}
          </li>
        ))}
      </ul>
      {hosts.length > 0 && (
        <>
          <h4>{hosts.length > SHOWN ? `Its first ${SHOWN} hosts` : "Its hosts"}</h4>
          <ul class="pairs" tabIndex={0} aria-label="Its hosts">
            {hosts.slice(0, SHOWN).map((host) => (
              <li key={host}>
                <bdi>{hostName(scene, host)}</bdi>
                {scene.hosts.service[host] ? ", serves others" : ""}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function cablesOf(model: Model, index: number, routing: RoutingAnswer | null): { cable: number; load: number }[] {
  const { a, b } = model.scene.cables;
  const found: { cable: number; load: number }[] = [];
  a.forEach((end, cable) => {
    if (end !== index && b[cable] !== index) return;
    const load = routing?.loads ? busierOf(routing.loads, cable) : 0;
    found.push({ cable, load });
  });
  return found.sort((one, other) => other.load - one.load).slice(0, SHOWN);
}
