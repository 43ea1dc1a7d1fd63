// Two hosts: the routes between them, and what shares their cables.

import type { Model } from "../model";
import type { State, Way } from "../questions";
import { cableName, counted, duration, hostName, inPercent, quantity, switchName, visible } from "../words";
import { Find, Told } from "./parts";

export function PairPanel(props: {
  model: Model;
  source: number;
  destination: number;
  state: State;
}) {
  const { model, source, destination, state } = props;
  const { scene } = model;
  const shared = (shares: readonly { cable: number; forward: boolean; load: number }[]) =>
    [...shares].sort((one, other) => other.load - one.load);
  return (
    <>
      <h3>
        <bdi>{hostName(scene, source)}</bdi> ⇄ <bdi>{hostName(scene, destination)}</bdi>
      </h3>
      <Told answer={model.answers.to({ question: "pair", state, source, destination })}>
        {(answer) => (
          <>
            <OneWay model={model} title="There" from={source} to={destination} way={answer.there} />
            <OneWay model={model} title="Back" from={destination} to={source} way={answer.back} />
            <section>
              <h4>What shares its cables</h4>
              <ul class="shares">
                {shared(answer.shares).map(({ cable, forward, load }) => (
                  <li key={`${cable} ${forward}`}>
                    <button type="button" onClick={() => model.go({ picked: { cable } })}>
                      <bdi>{cableName(scene, cable, forward)}</bdi>
                    </button>
                    : load {quantity(load)}
                  </li>
                ))}
              </ul>
            </section>
          </>
        )}
      </Told>
    </>
  );
}

/** Pick both ends by name. */
export function PairFinder(props: {
  model: Model;
  hosts: readonly string[];
  source: number | null;
  destination: number | null;
}) {
  const { model, hosts, source, destination } = props;
  const go = (from: number | null, to: number | null): void => {
    if (from !== null && to !== null && from !== to) model.go({ picked: { source: from, destination: to } });
  };
  const other = (taken: number): number => (taken === 0 ? hosts.length - 1 : 0);
  const value = (host: number | null): { value?: string } => (host === null ? {} : { value: hosts[host] ?? "" });
  return (
    <div class="ends">
      <Find label="Route from" names={hosts} {...value(source)} found={(at) => go(at, destination ?? other(at))} />
      <Find label="to" names={hosts} {...value(destination)} found={(at) => go(source ?? other(at), at)} />
    </div>
  );
}

function OneWay(props: { model: Model; title: string; from: number; to: number; way: Way }) {
  const { way } = props;
  const { scene } = props.model;
  const lanes = [...new Set(way.hops.map((hop) => hop.lane))];
  const cables = way.hops.filter((hop) => hop.cable !== null).length;
  return (
    <section>
      <h4>{props.title}</h4>
      {!way.arrives && <p class="refused">{way.words ?? "It does not arrive."}</p>}
      {way.choices && way.arrives && <Choices model={props.model} way={way} choices={way.choices} />}
      {way.hops.length > 0 && (
        <>
          <ol class="route">
            <li>
              <bdi>{hostName(scene, props.from)}</bdi>
            </li>
            {way.hops.map((hop, at) => (
              <li key={at}>
                <bdi>{switchName(scene, hop.switch)}</bdi>, out of port {hop.port}, lane {hop.lane}
              </li>
            ))}
            {way.arrives && (
              <li>
                <bdi>{hostName(scene, props.to)}</bdi>
              </li>
            )}
          </ol>
          <p>
            {cables} {cables === 1 ? "cable" : "cables"} between switches; {lanes.length === 1 ? "lane" : "lanes"}{" "}
            {lanes.join(", ")}; service level {way.service_level ?? "–"};{" "}
            {way.stops.length ? `stops at ${way.stops.map((host) => hostName(scene, host)).join(", ")}` : "no stops"}
            {way.addresses > 1 ? `; one of ${way.addresses} addresses of the destination` : ""}
            {latency(way)}.
          </p>
        </>
      )}
    </section>
  );
}

function latency({ idle_latency_ns: found, no_latency: refusal }: Way): string {
  if (refusal) return `; no latency: ${visible(refusal)}`;
  return found === null ? "" : `; ${duration(found)} on the idle network`;
}

/** What packets may take whose switches choose their ports, those that most take first. */
function Choices(props: { model: Model; way: Way; choices: NonNullable<Way["choices"]> }) {
  const { model, way } = props;
  const choices = [...props.choices].sort((one, other) => other.part - one.part);
  return (
    <>
      <p>
        Switches choose: packets may take {counted(choices.length, "cable")}; service level {way.service_level ?? "–"}
        {way.addresses > 1 ? `; spread over ${way.addresses} addresses of the destination` : ""}
        {latency(way)}.
      </p>
      <ul class="shares">
        {choices.map(({ cable, forward, part }) => (
          <li key={`${cable} ${forward}`}>
            <button type="button" onClick={() => model.go({ picked: { cable } })}>
              <bdi>{cableName(model.scene, cable, forward)}</bdi>
            </button>
            : {inPercent(part)}
          </li>
        ))}
      </ul>
    </>
  );
}
