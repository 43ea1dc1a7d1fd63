// All cables by load, and switches by what is told of them, as text.

import { useMemo, useState } from "preact/hooks";
import { busierOf, largestOf } from "../heat";
import type { Model } from "../model";
import type { Loads } from "../questions";
import type { Layer } from "../scene";
import { cableName, change, counted, quantity, switchName } from "../words";

const SHOWN = 50;

export function CableTable(props: { model: Model; loads: Loads; other: Loads | null; unit: string }) {
  const { model, loads, other } = props;
  const { scene } = model;
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(SHOWN);
  const sorted = useMemo(() => byLoad(loads, other), [loads, other]);
  const wanted = search.toLowerCase();
  const found = useMemo(
    () => (wanted ? sorted.filter((cable) => cableName(scene, cable).toLowerCase().includes(wanted)) : sorted),
    [scene, sorted, wanted],
  );
  const largest = Math.max(largestOf(loads), 1e-12);
  return (
    <>
      <p class="find">
        <label for="search-cables">Search cables</label>
        <input
          id="search-cables"
          type="search"
          value={search}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </p>
      <div class="scroll">
        <table id="cables">
          <caption>
            {counted(found.length, "cable")} by {other ? "change" : "load"}, in {props.unit}
          </caption>
          <thead>
            <tr>
              <th scope="col">Cable</th>
              <th scope="col" class="number">There</th>
              <th scope="col" class="number">Back</th>
              {other && <th scope="col" class="number">Changes</th>}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, shown).map((cable) => {
              const [there, back] = [loads.forward[cable] ?? null, loads.back[cable] ?? null];
              return (
                <tr key={cable}>
                  <th scope="row">
                    <button type="button" onClick={() => model.go({ picked: { cable } })}>
                      <bdi>{cableName(scene, cable)}</bdi>
                    </button>
                  </th>
                  <Load load={there} largest={largest} />
                  <Load load={back} largest={largest} />
                  {other && (
                    <td class="number">
                      {change((other.forward[cable] ?? 0) - (there ?? 0))}
                      <br />
                      {change((other.back[cable] ?? 0) - (back ?? 0))}
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <More count={found.length} shown={shown} setShown={setShown} />
    </>
  );
}

/** All switches by what a layer tells of them, as text. */
export function SwitchTable(props: { model: Model; layer: Layer }) {
  const { model, layer } = props;
  const [shown, setShown] = useState(SHOWN);
  const figures = layer.switches ?? [];
  const sorted = useMemo(() => {
    const known = figures.flatMap((figure, index) => (figure === null ? [] : [{ figure, index }]));
    return known.sort((one, other) => other.figure - one.figure || one.index - other.index);
  }, [figures]);
  const largest = Math.max(sorted[0]?.figure ?? 0, 1e-12);
  return (
    <>
      <div class="scroll">
        <table id="switches">
          <caption>
            {counted(sorted.length, "switch", "switches")}, in {layer.unit}
          </caption>
          <thead>
            <tr>
              <th scope="col">Switch</th>
              <th scope="col" class="number">Figure</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, shown).map(({ figure, index }) => (
              <tr key={index}>
                <th scope="row">
                  <button type="button" onClick={() => model.go({ picked: { switch: index } })}>
                    <bdi>{switchName(model.scene, index)}</bdi>
                  </button>
                </th>
                <Load load={figure} largest={largest} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More count={sorted.length} shown={shown} setShown={setShown} />
    </>
  );
}

function More(props: { count: number; shown: number; setShown: (shown: number) => void }) {
  const { count, shown, setShown } = props;
  if (count <= shown) return null;
  return (
    <button type="button" onClick={() => setShown(shown + SHOWN)}>
      Show {quantity(Math.min(SHOWN, count - shown))} more
    </button>
  );
}

function Load(props: { load: number | null; largest: number }) {
  return (
    <td class="number">
      {quantity(props.load)}
      <meter min={0} max={1} value={Math.min((props.load ?? 0) / props.largest, 1)} aria-hidden="true" />
    </td>
  );
}

function byLoad(loads: Loads, other: Loads | null): number[] {
  const { forward, back } = loads;
  const apart = (after: number | null | undefined, before: number | null | undefined): number =>
    Math.abs((after ?? 0) - (before ?? 0));
  const weight = Float64Array.from(forward, (load, cable) =>
    other
      ? Math.max(apart(other.forward[cable], load), apart(other.back[cable], back[cable]))
      : busierOf(loads, cable),
  );
  return forward
    .map((_, cable) => cable)
    .sort((one, two) => (weight[two] as number) - (weight[one] as number) || one - two);
}
