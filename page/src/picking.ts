// What a click on the drawing picks.

import type { Bundles } from "./bundles";
import { heatOf } from "./heat";
import type { Model } from "./model";
import { busiestOf } from "./picture";
import { withOne } from "./panels/choices";
import type { RoutingAnswer } from "./questions";
import type { Hit } from "./sight";
import type { Stage } from "./stage";

/** Members of an opened chassis are brought near where they are closer than this, in CSS pixels. */
const APART = 24;

export function picks(
  model: Model,
  bundles: Bundles,
  answer: RoutingAnswer | null,
  stage: () => Stage | null,
): (hit: Hit | null, isMore: boolean) => void {
  const { scene } = model;
  const switches = scene.switches.name.length;
  return (hit) => {
    if (!hit) {
      if (model.view.picked) model.go({ picked: null });
    } else if (hit.is === "cable") {
      model.go({ picked: { cable: hit.cable } });
    } else if (hit.is === "bundle") {
      const failed = { cables: new Set<number>(), switches: new Set<number>() };
      const heat = answer?.loads ? heatOf(answer.loads, null) : null;
      model.go({ picked: { cable: busiestOf(scene, bundles, heat, failed, hit.bundle).cable } });
    } else if (hit.is === "node" && hit.place < switches) {
      pickSwitch(model, hit.place);
    } else if (hit.is === "node") {
      openChassis(model, hit.place - switches, stage());
    }
  };
}

/** A second switch with hosts, picked after a first, asks for a route between them. */
function pickSwitch(model: Model, index: number): void {
  const { picked } = model.view;
  const { hosts } = model.scene;
  if (picked && "switch" in picked && picked.switch !== index) {
    const [source, destination] = [hosts.switch.indexOf(picked.switch), hosts.switch.indexOf(index)];
    if (source >= 0 && destination >= 0) {
      model.go({ picked: { source, destination } });
      return;
    }
  }
  model.go({ picked: { switch: index } });
}

function openChassis(model: Model, chassis: number, stage: Stage | null): void {
  const box = model.ground.chassis[chassis];
  const scale = stage?.sight()?.scale ?? 0;
  const isSmall = model.ground.spacing * scale < APART;
  const camera = isSmall && box && stage ? stage.fit(box) : model.view.camera;
  model.go({ opened: withOne(model.view.opened, chassis), camera });
}
