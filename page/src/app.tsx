// The whole page: drawings at one side, what is asked and answered at the other.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bundled } from "./bundles";
import { Drawing } from "./drawing";
import { type Figure, pngFigure, save, svgText } from "./figure";
import { busiestOf, differenceOf, heatOf, heatOfLayer } from "./heat";
import { useLast, useModel, useTheme } from "./hooks";
import { changeMarks, partOf } from "./changing";
import { cycleMarks, failureMarks, pickedMarks, trainMarks } from "./marked";
import type { Mark } from "./marks";
import type { Model } from "./model";
import { type Heat, pictured } from "./picture";
import { picks } from "./picking";
import { ChoicesPanels } from "./panels";
import { crossingsOf } from "./panels/cable";
import { Act } from "./panels/parts";
import { Timeline } from "./panels/jobs";
import { Shades } from "./panels/shades";
import { unitOf } from "./panels/verdict";
import { Clock, Player } from "./player";
import type { RoutingAnswer, State } from "./questions";
import { Replayer } from "./replaying";
import type { Shown, Stage } from "./stage";
import { layerOf } from "./shades";
import { Status } from "./status";
import type { Theme } from "./theme";
import { hitWords } from "./hover";
import { counted, visible } from "./words";

/** Chassis open by themselves where they are drawn at least so wide, in CSS pixels. */
const WIDE_ENOUGH = 260;

export function App(props: { model: Model }) {
  const { model } = props;
  useModel(model);
  const theme = useTheme();
  const { scene, view, answers, ground } = model;
  const [isDifference, setDifference] = useState(true);
  const [hover, setHover] = useState("");
  const [clock] = useState(() => new Clock());
  const [jobClock] = useState(() => new Clock());
  const stages = useRef<(Stage | null)[]>([]);

  const answer = answers.to({ question: "routing", state: view.state });
  const beside = view.other ? answers.to({ question: "routing", state: view.other }) : null;
  const shownAnswer = useLast(answer.is === "there" ? answer.answer : null, scene);
  const shownBeside = useLast(beside?.is === "there" ? beside.answer : null, view.other !== null);
  const run = view.run ? answers.to({ question: "run", state: view.state, ...view.run }) : null;
  const runAnswer = run?.is === "there" ? run.answer : null;
  const player = useMemo(() => (runAnswer ? new Player(runAnswer) : null), [runAnswer]);

  const isWide = useMemo(() => {
    const widths = ground.chassis.map((box) => box.right - box.left).sort((one, other) => one - other);
    const usual = widths[Math.floor(widths.length / 2)] ?? 0;
    return (scale: number): boolean => usual * scale >= WIDE_ENOUGH;
  }, [ground]);
  const areOpen = isWide(view.camera?.scale ?? 0);
  const openKey = areOpen ? "all" : view.opened.join();
  const bundles = useMemo(() => {
    const open = new Set(view.opened);
    return bundled(scene, (chassis) => areOpen || open.has(chassis));
  }, [scene, openKey]);

  useLayoutEffect(() => model.follow(() => {
    if (isWide(model.view.camera?.scale ?? 0) !== areOpen) model.go({});
  }), [model, areOpen]);
  useEffect(() => {
    const follow = (cycle: number): void => stages.current[0]?.move(player ? trainMarks(player.trains(cycle), theme) : []);
    follow(clock.cycle);
    return clock.listen(follow);
  }, [player, theme, clock]);

  useEffect(() => {
    const loads = answer.is === "there" ? answer.answer.loads : null;
    // What is asked next, most likely; and whoever answers knows then where else to look.
    if (loads) answers.to(crossingsOf(view.state, busiestOf(loads)));
  }, [answer.is, view.state, answers]);

  const cycle = shownAnswer?.verdict.cycle ?? null;
  const layer = layerOf(scene, view);
  const heat = useMemo(() => {
    if (layer) return heatOfLayer(layer);
    if (view.layer === "none") return null;
    return shownAnswer?.loads ? heatOf(shownAnswer.loads, shownBeside?.loads ?? null) : null;
  }, [shownAnswer, shownBeside, layer, view.layer]);
  const heatBeside = useMemo(() => {
    if (layer) return heatOfLayer(layer);
    if (view.layer === "none") return null;
    const [one, other] = [shownAnswer?.loads, shownBeside?.loads];
    if (!one || !other) return null;
    return isDifference ? differenceOf(one, other) : heatOf(other, one);
  }, [shownAnswer, shownBeside, isDifference, layer, view.layer]);
  const unit = layer?.unit ?? unitOf(view.state);
  const replayer = useMemo(() => (scene.recording ? new Replayer(scene.recording) : null), [scene]);
  const ways = useWays(model, replayer);
  useEffect(() => {
    if (!replayer || view.run) return undefined;
    const follow = (time: number): void => stages.current[0]?.move(replayer.marks(time, ways, theme));
    follow(jobClock.cycle);
    return jobClock.listen(follow);
  }, [replayer, ways, theme, jobClock, view.run]);
  const change = view.change
    ? answers.to({ question: "transition", state: view.state, ...partOf(view.change) })
    : null;
  const marks = [
    ...(view.change && change?.is === "there" ? changeMarks(view.change, change.answer.steps, theme) : []),
    ...failureMarks(view.state, theme),
    ...(cycle && view.step !== null ? cycleMarks(cycle, view.step, theme) : []),
    ...pickedMarks(view, view.state, scene, answers, theme),
  ];
  const left = usePictured(model, bundles, heat, view.state, theme, marks);
  const right = usePictured(model, bundles, heatBeside, view.other ?? view.state, theme,
    view.other ? [...failureMarks(view.other, theme), ...pickedMarks(view, view.other, scene, answers, theme)] : []);

  const listeners = {
    look: (camera: typeof view.camera) => model.look(camera),
    pick: picks(model, bundles, shownAnswer, () => stages.current[0] ?? null),
    over: (hit: Parameters<typeof hitWords>[3]) => setHover(hitWords(model, bundles, shownAnswer, hit)),
  };
  const stagedLeft = useCallback((stage: Stage | null) => void (stages.current[0] = stage), []);
  const stagedRight = useCallback((stage: Stage | null) => void (stages.current[1] = stage), []);
  const figures = (): Figure[] =>
    [
      { stage: stages.current[0], shown: left, heat, state: view.state, answer: shownAnswer },
      ...(view.other ? [{ stage: stages.current[1], shown: right, heat: heatBeside, state: view.other, answer: shownBeside }] : []),
    ].flatMap(({ stage, shown, heat: shades, state, answer: told }) => {
      const sight = stage?.sight();
      if (!stage || !sight) return [];
      const title = `${visible(scene.name)}: ${titled(state, told)}`;
      return [{ sight, picture: shown.picture, marks: stage.marks, theme, heat: shades, unit: layer?.unit ?? unitOf(state), title }];
    });
  const file = scene.name.replace(/[^\w.-]+/g, "-").slice(0, 60) || "network";

  return (
    <div class={view.other ? "page two" : "page"}>
      <header>
        <p class="kind">
          {counted(scene.switches.name.length, "switch", "switches")}, {counted(scene.hosts.name.length, "host")},{" "}
          {counted(scene.cables.a.length, "cable")}
        </p>
        <h1>
          <bdi>{visible(scene.name)}</bdi>
        </h1>
        <Status model={model} answer={answer} />
      </header>
      <main>
        <div class="drawings">
          <div class="tools" role="toolbar" aria-label="Drawing">
            <Act title="Zoom in" does={() => stages.current[0]?.zoom(1.5)}>+</Act>
            <Act title="Zoom out" does={() => stages.current[0]?.zoom(1 / 1.5)}>−</Act>
            <Act does={() => { model.look(null); }}>Show all</Act>
            <Act does={() => save(`${file}.svg`, new Blob([svgText(figures())], { type: "image/svg+xml" }))}>SVG</Act>
            <Act does={() => void pngFigure(figures()).then((blob) => blob && save(`${file}.png`, blob))}>PNG</Act>
            <Shades model={model} />
            <span class="hover" aria-hidden="true">{hover}</span>
          </div>
          <div class="sides">
            <Drawing
              model={model} shown={left} heat={heat} unit={unit}
              name={titled(view.state, shownAnswer)} words={drawingWords(model)} isWaiting={answer.is === "waited for"}
              listeners={listeners} staged={stagedLeft}
            />
            {view.other && (
              <Drawing
                model={model} shown={right} heat={heatBeside} unit={layer?.unit ?? unitOf(view.other)}
                name={titled(view.other, shownBeside)} words={drawingWords(model)} isWaiting={beside?.is === "waited for"}
                listeners={listeners} staged={stagedRight}
              />
            )}
          </div>
          {replayer && <Timeline replayer={replayer} clock={jobClock} theme={theme} />}
        </div>
        <ChoicesPanels
          model={model} answer={answer} beside={beside} shown={shownAnswer} shownBeside={shownBeside}
          isDifference={isDifference} setDifference={setDifference} clock={clock} player={player} jobClock={jobClock} replayer={replayer} theme={theme}
        />
      </main>
    </div>
  );
}

const NO_WAYS: readonly (readonly number[])[] = [];
/** Pairs that are asked about at a time. */
const PAIRS = 2000;

/** The ways of all messages of a recording, by its pairs; none of those that are not there yet. */
function useWays(model: Model, replayer: Replayer | null): readonly (readonly number[])[] {
  const { answers, scene } = model;
  const found: (readonly number[])[] = [];
  for (let first = 0; replayer && first < replayer.pairs.length; first += PAIRS) {
    const state = { ...model.first.state, routing: replayer.recording.routing };
    const answer = answers.to({ question: "ways", state, pairs: replayer.pairs.slice(first, first + PAIRS) });
    if (answer.is !== "there") break;
    found.push(...answer.answer.ways);
  }
  return useMemo(() => (found.length ? found : NO_WAYS), [scene, found.length]);
}

function usePictured(
  model: Model,
  bundles: ReturnType<typeof bundled>,
  heat: Heat | null,
  state: State,
  theme: Theme,
  marks: readonly Mark[],
): Shown {
  const { scene, ground } = model;
  const failures = JSON.stringify([state.failed_cables, state.failed_switches]);
  const picture = useMemo(() => {
    const failed = { cables: new Set(state.failed_cables), switches: new Set(state.failed_switches) };
    return pictured(scene, ground, bundles, heat, failed, theme);
  }, [scene, ground, bundles, heat, failures, theme]);
  return { scene, ground, bundles, picture, marks, camera: model.view.camera, theme };
}

function titled(state: State, answer: RoutingAnswer | null): string {
  const failed = state.failed_cables.length + state.failed_switches.length;
  const safe = answer ? (answer.verdict.free ? ", safe" : ", not safe") : "";
  return `${visible(state.routing)}, ${visible(state.pattern)}${failed ? `, ${failed} failed` : ""}${safe}`;
}

function drawingWords(model: Model): string {
  const { scene } = model;
  return (
    `Drawing of ${visible(scene.name)}: ${scene.switches.name.length} switches and ${scene.cables.a.length} cables. ` +
    "Arrow keys move it, plus and minus zoom, 0 shows all; the table of cables tells the same as text."
  );
}
