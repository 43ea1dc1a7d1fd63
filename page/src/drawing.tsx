// A drawing in the page: it keeps its stage, and hands it what is to be shown.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { paintLegend } from "./figure";
import { cleared } from "./paint";
import type { Model } from "./model";
import type { Heat } from "./picture";
import { type Listeners, MOST_IN_SVG, type Shown, Stage } from "./stage";

export interface DrawingProps {
  readonly model: Model;
  readonly shown: Shown;
  readonly heat: Heat | null;
  readonly unit: string;
  readonly name: string;
  readonly words: string;
  readonly isWaiting: boolean;
  readonly listeners: Listeners;
  readonly staged: (stage: Stage | null) => void;
}

export function Drawing(props: DrawingProps) {
  const { model, shown } = props;
  const place = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage | null>(null);
  const listeners = useRef(props.listeners);
  listeners.current = props.listeners;
  useLayoutEffect(() => {
    const made = new Stage(
      place.current as HTMLDivElement,
      {
        look: (camera) => listeners.current.look(camera),
        pick: (hit, isMore) => listeners.current.pick(hit, isMore),
        over: (hit) => listeners.current.over(hit),
      },
    );
    stage.current = made;
    props.staged(made);
    const off = model.follow(() => made.look(model.view.camera));
    return () => {
      off();
      props.staged(null);
      made.close();
    };
  }, []);
  useEffect(() => stage.current?.show(shown));
  const isTooLarge = stage.current && !stage.current.hasGl && shown.scene.switches.name.length > MOST_IN_SVG;
  return (
    <figure class="drawing" aria-busy={props.isWaiting}>
      <figcaption>
        <bdi>{props.name}</bdi>
      </figcaption>
      <div
        class="stage"
        ref={place}
        tabIndex={0}
        role="application"
        aria-roledescription="drawing of a network"
        aria-label={props.words}
      />
      {isTooLarge && (
        <p class="refused undrawn">
          This browser draws nothing by WebGL, and more than {MOST_IN_SVG} switches are not drawn without; all else on
          this page works.
        </p>
      )}
      {props.heat && <Legend heat={props.heat} unit={props.unit} shown={shown} />}
    </figure>
  );
}

const [LEGEND_WIDTH, LEGEND_HEIGHT] = [340, 34];

function Legend(props: { heat: Heat; unit: string; shown: Shown }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { heat, unit, shown } = props;
  useEffect(() => {
    if (!canvas.current) return;
    const pen = cleared(canvas.current, LEGEND_WIDTH, LEGEND_HEIGHT, Math.min(window.devicePixelRatio || 1, 2));
    if (pen) paintLegend(pen, heat, unit, shown.theme, 6, 4);
  }, [heat, unit, shown.theme]);
  const words = heat.isDifference
    ? `Colours from ${heat.end} less over as before to ${heat.end} more ${unit}`
    : `Colours from idle to ${heat.end} ${unit}`;
  return <canvas class="legend" ref={canvas} role="img" aria-label={words} />;
}
