// Chooses what the drawing is coloured by.

import type { Model } from "../model";
import { layerOf } from "../shades";
import { visible } from "../words";

export function Shades(props: { model: Model }) {
  const { model } = props;
  const layers = model.scene.layers ?? [];
  if (!layers.length) return null;
  return (
    <label title={visible(layerOf(model.scene, model.view)?.words ?? "What channels carry by the routing that is picked.")}>
      Coloured by{" "}
      <select
        id="shades"
        value={String(model.view.layer ?? "")}
        onChange={(event) => {
          const { value } = event.currentTarget;
          model.go({ layer: value === "" ? null : value === "none" ? value : Number(value) });
        }}
      >
        <option value="">load</option>
        <option value="none">nothing</option>
        {layers.map((layer, at) => (
          <option key={layer.name} value={String(at)}>
            {visible(layer.name)}
          </option>
        ))}
      </select>
    </label>
  );
}
