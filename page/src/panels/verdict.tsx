// Whether the routing is safe and how it loads the network.

import type { Model } from "../model";
import type { RoutingAnswer } from "../questions";
import { counted, hostName, inPercent, quantity } from "../words";
import type { Answer } from "../answers";
import type { LimitsAnswer, State } from "../questions";
import { Figures, Later, Told } from "./parts";

/** What loads of a pattern are told in. */
export function unitOf(state: State): string {
  return state.pattern === "uniform" ? "pairs of hosts" : "times what a host sends at most";
}

export function Verdict(props: { model: Model; state: State; answer: Answer<"routing"> }) {
  const { model, state } = props;
  return (
    <Told answer={props.answer}>
      {(answer) => (
        <>
          <p class={answer.verdict.free ? "verdict good" : "verdict bad"}>
            <strong>{safetyOf(answer)}.</strong> {answer.verdict.words}
          </p>
          <Figures rows={figures(model, state, answer)} />
          <Later model={model} title="Work out what no routing is below">
            {() => <Figures rows={limits(model, state)} />}
          </Later>
        </>
      )}
    </Told>
  );
}

/** The verdict in a few words. */
export function safetyOf({ verdict }: RoutingAnswer): string {
  switch (verdict.verdict) {
    case "deadlock-free":
      return "Safe, no deadlock";
    case "deadlock":
      return "Not safe, packets may deadlock";
    case "unreachable":
      return "Not safe, some routes do not arrive";
    default:
      return "Not safe, some routes go in circles";
  }
}

function limits(model: Model, state: State): [string, string][] {
  const answer = model.answers.to({ question: "limits", state });
  const limit = (write: (found: LimitsAnswer) => string): string =>
    answer.is === "there" ? write(answer.answer) : answer.is === "refused" ? "–" : "…";
  return [
    ["No routing is below", limit(({ bound }) => (bound === null ? "–" : `${quantity(bound)} ${unitOf(state)}`))],
    ["Bisection", limit(({ bisection_percent: share }) => (share === null ? "–" : inPercent(share / 100)))],
  ];
}

function figures(model: Model, state: State, answer: RoutingAnswer): [string, string][] {
  const rows: [string, string][] = [
    [
      "Largest load",
      answer.largest_load === null
        ? "not known: packets choose their way"
        : `${quantity(answer.largest_load)} ${unitOf(state)}`,
    ],
    ["Lanes", quantity(answer.lanes)],
  ];
  if (answer.cut_off.length) {
    const names = answer.cut_off.slice(0, 8).map((host) => hostName(model.scene, host));
    const rest = answer.cut_off.length - names.length;
    rows.push([
      "Cut off",
      `${counted(answer.cut_off.length, "host")}: ${names.join(", ")}${rest > 0 ? ` and ${quantity(rest)} more` : ""}`,
    ]);
  }
  if (answer.unreached_pairs) rows.push(["Pairs without a route", quantity(answer.unreached_pairs, 12)]);
  return rows;
}
