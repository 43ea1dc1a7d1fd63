// Two states side by side, in figures.

import type { Answer } from "../answers";
import type { Model } from "../model";
import type { RoutingAnswer } from "../questions";
import { change, quantity } from "../words";
import { Choices } from "./choices";
import { Act } from "./parts";

export function ComparePanel(props: {
  model: Model;
  answer: Answer<"routing">;
  beside: Answer<"routing"> | null;
  isDifference: boolean;
  setDifference: (isDifference: boolean) => void;
}) {
  const { model, answer, beside } = props;
  const { view } = model;
  if (!view.other) {
    return (
      <p class="acts">
        <Act does={() => model.go({ other: view.state })}>Set another state beside this one</Act>
      </p>
    );
  }
  const other = view.other;
  return (
    <>
      <Choices model={model} state={other} choose={(part) => model.go({ other: { ...other, ...part } })} />
      <p class="acts">
        <Act isPressed={props.isDifference} does={() => props.setDifference(!props.isDifference)}>
          Show the difference
        </Act>
        <Act does={() => model.go({ other: null })}>Only one state</Act>
        <Act does={() => model.go({ state: other, other: view.state })}>Change places</Act>
      </p>
      {beside?.is === "refused" && <p class="refused">{beside.why}</p>}
      {answer.is === "there" && beside?.is === "there" && <Table model={model} one={answer.answer} other={beside.answer} />}
    </>
  );
}

function Table(props: { model: Model; one: RoutingAnswer; other: RoutingAnswer }) {
  const { model, one, other } = props;
  const { view } = model;
  const limits = [view.state, view.other ?? view.state].map((state) => {
    const found = model.isLarge ? null : model.answers.to({ question: "limits", state });
    return found?.is === "there" ? found.answer : null;
  });
  const rows: [string, number | null, number | null][] = [
    ["Largest load", one.largest_load, other.largest_load],
    ["No routing is below", limits[0]?.bound ?? null, limits[1]?.bound ?? null],
    ["Bisection in %", limits[0]?.bisection_percent ?? null, limits[1]?.bisection_percent ?? null],
    ["Lanes", one.lanes, other.lanes],
    ["Hosts cut off", one.cut_off.length, other.cut_off.length],
    ["Pairs without a route", one.unreached_pairs, other.unreached_pairs],
  ];
  return (
    <div class="scroll">
      <table id="comparison">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">Left</th>
            <th scope="col" class="number">Right</th>
            <th scope="col" class="number">Changes</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Safe</th>
            <td class="number">{one.verdict.free ? "yes" : "no"}</td>
            <td class="number">{other.verdict.free ? "yes" : "no"}</td>
            <td />
          </tr>
          {rows.map(([name, left, right]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{quantity(left)}</td>
              <td class="number">{quantity(right)}</td>
              <td class="number">{left === null || right === null ? "" : change(right - left)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
