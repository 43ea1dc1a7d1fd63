// What the drawing is coloured by: loads that are worked out, or a layer of the scene.

import type { View } from "./address";
import type { Layer, Scene } from "./scene";

export function layerOf(scene: Scene, view: View): Layer | null {
  return typeof view.layer === "number" ? (scene.layers?.[view.layer] ?? null) : null;
}
