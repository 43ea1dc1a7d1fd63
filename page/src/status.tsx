// Says in one line what was found, for eyes and for screen readers.

import type { Answer } from "./answers";
import type { Model } from "./model";
import { crossingsOf } from "./panels/cable";
import { safetyOf, unitOf } from "./panels/verdict";
import { cableName, counted, hostName, quantity, switchName, visible } from "./words";

export function Status(props: { model: Model; answer: Answer<"routing"> }) {
  return (
    <>
      <p class="status" role="status" aria-live="polite">
        {routingWords(props.model, props.answer)} {pickedWords(props.model)}
      </p>
      {props.model.complaint && (
        <p class="refused" role="alert">
          {props.model.complaint}
        </p>
      )}
    </>
  );
}

function routingWords(model: Model, answer: Answer<"routing">): string {
  const { state } = model.view;
  const name = visible(state.routing);
  if (answer.is === "waited for") return `${name}: working it out …`;
  if (answer.is === "refused") return `${name}: ${answer.why}`;
  const { largest_load, cut_off } = answer.answer;
  const failed = state.failed_cables.length + state.failed_switches.length;
  return (
    `${name}${failed ? ` with ${counted(failed, "failure")}` : ""}: ` +
    safetyOf(answer.answer).toLowerCase() +
    (largest_load === null ? "" : `; largest load ${quantity(largest_load)} ${unitOf(state)}`) +
    (cut_off.length ? `; ${counted(cut_off.length, "host")} cut off.` : ".")
  );
}

function pickedWords(model: Model): string {
  const { scene, view, answers } = model;
  const { picked, state } = view;
  if (!picked) return "";
  if ("switch" in picked) return `Switch ${switchName(scene, picked.switch)}.`;
  if ("cable" in picked) {
    const { cable } = picked;
    const answer = answers.to(crossingsOf(state, cable));
    const name = `Cable ${cableName(scene, cable)}`;
    if (answer.is === "refused") return `${name}: ${answer.why}`;
    if (answer.is !== "there") return `${name} …`;
    const { forward, back } = answer.answer;
    return `${name}: load ${quantity(forward.load)} there, ${quantity(back.load)} back.`;
  }
  const { source, destination } = picked;
  const answer = answers.to({ question: "pair", state, source, destination });
  const name = `From ${hostName(scene, source)} to ${hostName(scene, destination)}`;
  if (answer.is === "refused") return `${name}: ${answer.why}`;
  if (answer.is !== "there") return `${name} …`;
  const { hops, choices } = answer.answer.there;
  if (choices) return `${name}: switches choose among ${counted(choices.length, "cable")}.`;
  const cables = hops.filter((hop) => hop.cable !== null).length;
  return `${name}: ${counted(cables, "cable")} between switches.`;
}
