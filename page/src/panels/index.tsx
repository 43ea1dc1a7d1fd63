// All panels in their order.

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Answer } from "../answers";
import type { Model } from "../model";
import type { Clock, Player } from "../player";
import type { RoutingAnswer } from "../questions";
import { layerOf } from "../shades";
import { cableName, hostName, switchName, visible } from "../words";
import type { Replayer } from "../replaying";
import type { Theme } from "../theme";
import { CablePanel } from "./cable";
import { ChangePanel } from "./change";
import { Choices } from "./choices";
import { ComparePanel } from "./compare";
import { CyclePanel } from "./cycle";
import { JobsPanel } from "./jobs";
import { PairFinder, PairPanel } from "./pair";
import { Act, Find, Panel } from "./parts";
import { RunPanel } from "./run";
import { SwitchPanel } from "./switch";
import { CableTable, SwitchTable } from "./table";
import { unitOf, Verdict } from "./verdict";

export function ChoicesPanels(props: {
  model: Model;
  answer: Answer<"routing">;
  beside: Answer<"routing"> | null;
  /** The last answers that were there. */
  shown: RoutingAnswer | null;
  shownBeside: RoutingAnswer | null;
  isDifference: boolean;
  setDifference: (isDifference: boolean) => void;
  clock: Clock;
  player: Player | null;
  jobClock: Clock;
  replayer: Replayer | null;
  theme: Theme;
}) {
  const { model, answer, shown } = props;
  const { view } = model;
  const panels = useRef<HTMLElement>(null);
  useEffect(() => panels.current?.scrollTo({ top: 0 }), [view.picked]);
  const cycle = answer.is === "there" ? answer.answer.verdict.cycle : null;
  const layer = layerOf(model.scene, view);
  return (
    <aside class="panels" aria-label="Questions and answers" ref={panels}>
      <Panel title="Cable, switch or route" id="picked">
        <Picked model={model} routing={shown} />
      </Panel>
      {view.change && (
        <Panel title="Tables change" id="change">
          <ChangePanel model={model} state={view.state} change={view.change} />
        </Panel>
      )}
      {props.replayer && (
        <Panel title="Jobs that ran" id="jobs">
          <JobsPanel model={model} replayer={props.replayer} clock={props.jobClock} theme={props.theme} />
        </Panel>
      )}
      <Panel title="What is asked" id="asked">
        <Choices model={model} state={view.state} choose={(part) => model.choose(part)} />
      </Panel>
      <Panel title="Verdict" id="verdict">
        <Verdict model={model} state={view.state} answer={answer} />
        {cycle && view.step === null && (
          <p class="acts">
            <Act does={() => model.go({ step: 0 })}>Show the deadlock, packet by packet</Act>
          </p>
        )}
      </Panel>
      {cycle && view.step !== null && (
        <Panel title="Deadlock" id="deadlock">
          <CyclePanel model={model} cycle={cycle} step={view.step} />
        </Panel>
      )}
      <Panel title={layer ? `${layer.switches ? "Cables and switches" : "Cables"} by ${layer.name}` : "Cables by load"} id="loads">
        {layer && <p class="hint">{visible(layer.words)}</p>}
        {layer && <CableTable model={model} loads={layer} other={null} unit={layer.unit} />}
        {layer?.switches && <SwitchTable model={model} layer={layer} />}
        {!layer && shown?.loads && (
          <CableTable
            model={model}
            loads={shown.loads}
            other={(view.other && props.shownBeside?.loads) || null}
            unit={unitOf(view.state)}
          />
        )}
        {!layer && shown && !shown.loads && <p class="hint">Loads are not known where packets choose their way.</p>}
      </Panel>
      <Panel title="Compare" id="compare" isOpen={view.other !== null}>
        <ComparePanel
          model={model}
          answer={answer}
          beside={props.beside}
          isDifference={props.isDifference}
          setDifference={props.setDifference}
        />
      </Panel>
      <Panel title="Play a run" id="run" isOpen={view.run !== null}>
        <RunPanel model={model} state={view.state} clock={props.clock} player={props.player} />
      </Panel>
      <p class="hint">Answers are {model.asker.words}.</p>
    </aside>
  );
}

function Picked(props: { model: Model; routing: RoutingAnswer | null }) {
  const { model, routing } = props;
  const { scene, view } = model;
  const { picked, state } = view;
  const hosts = useMemo(() => told(scene.hosts.name.map((_, at) => hostName(scene, at))), [scene]);
  const parts = useMemo(
    () =>
      told([
        ...scene.switches.name.map((_, at) => switchName(scene, at)),
        ...scene.cables.a.map((_, at) => cableName(scene, at)),
      ]),
    [scene],
  );
  const pick = (at: number): void => {
    const switches = scene.switches.name.length;
    model.go({ picked: at < switches ? { switch: at } : { cable: at - switches } });
  };
  const pair = picked && "source" in picked ? picked : null;
  const first = picked && "switch" in picked ? scene.hosts.switch.indexOf(picked.switch) : -1;
  return (
    <>
      <Find label="Find a switch or cable" names={parts} found={pick} />
      {hosts.length > 1 && (
        <PairFinder
          model={model}
          hosts={hosts}
          source={pair?.source ?? (first >= 0 ? first : null)}
          destination={pair?.destination ?? null}
        />
      )}
      {!picked && <p class="hint">Click a cable to see whose traffic it is, or two switches to see a route.</p>}
      {picked && "cable" in picked && <CablePanel model={model} cable={picked.cable} state={state} key={picked.cable} />}
      {picked && "switch" in picked && (
        <SwitchPanel model={model} index={picked.switch} state={state} routing={routing} />
      )}
      {pair && <PairPanel model={model} {...pair} state={state} />}
    </>
  );
}

/** Names that are there more than once are told apart by their number. */
function told(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} (${count})` : name;
  });
}
