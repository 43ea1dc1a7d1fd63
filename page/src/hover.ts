// What is below the pointer, in a line.

import type { Bundles } from "./bundles";
import type { Model } from "./model";
import { unitOf } from "./panels/verdict";
import type { RoutingAnswer } from "./questions";
import { layerOf } from "./shades";
import type { Hit } from "./sight";
import { cableName, counted, quantity, switchName, visible } from "./words";

export function hitWords(model: Model, bundles: Bundles, answer: RoutingAnswer | null, hit: Hit | null): string {
  const { scene } = model;
  const switches = scene.switches.name.length;
  if (!hit) return "";
  if (hit.is === "frame") return `chassis ${visible(scene.chassis[hit.chassis]?.name ?? "")}`;
  if (hit.is === "node" && hit.place >= switches) {
    return `chassis ${visible(scene.chassis[hit.place - switches]?.name ?? "")}, click to open`;
  }
  if (hit.is === "node") {
    return `${switchName(scene, hit.place)}, ${counted(scene.switches.hosts[hit.place] ?? 0, "host")}`;
  }
  const cables =
    hit.is === "cable"
      ? [hit.cable]
      : [...bundles.cables.slice(bundles.start[hit.bundle], bundles.start[hit.bundle + 1])];
  const first = cables[0];
  if (first === undefined) return "";
  const name = cables.length > 1 ? `${counted(cables.length, "cable")} like ${cableName(scene, first)}` : cableName(scene, first);
  const layer = layerOf(scene, model.view);
  const figures = layer ?? answer?.loads;
  if (!figures) return name;
  const most = (loads: readonly (number | null)[]): string => quantity(Math.max(...cables.map((cable) => loads[cable] ?? 0)));
  const upTo = cables.length > 1 ? "at most " : "";
  return `${name}: ${upTo}${most(figures.forward)} there, ${most(figures.back)} back, in ${layer?.unit ?? unitOf(model.view.state)}`;
}
