// One cable: whose traffic it carries, what other routings put on it, what happens without it.

import { useState } from "preact/hooks";
import type { Model } from "../model";
import type { Crossing, Question, State } from "../questions";
import { cableName, change, counted, hostName, inPercent, quantity, visible } from "../words";
import { withOne, without } from "./choices";
import { Act, Figures, Later, Told } from "./parts";

const SHOWN = 100;

/** The question whose traffic a cable carries. */
export function crossingsOf(state: State, cable: number, search = ""): Question<"cable"> {
  return { question: "cable", state, cable, search, first: 0, count: SHOWN };
}

export function CablePanel(props: { model: Model; cable: number; state: State }) {
  const { model, cable, state } = props;
  const { scene } = model;
  const hasFailed = state.failed_cables.includes(cable);
  const rate = scene.cables.gbit_per_s[cable] ?? null;
  const beside = parallel(model, cable);
  return (
    <>
      <h3>
        Cable <bdi>{cableName(scene, cable)}</bdi>
      </h3>
      <p class="hint">
        {rate === null ? "Rate not known" : `${quantity(rate)} Gbit/s`}
        {hasFailed ? ", failed" : ""}
      </p>
      {(scene.layers ?? []).filter(({ notes }, at) => at === model.view.layer || notes[cable]).map(({ name, unit, forward, back, notes }) => (
        <p key={name} class="hint">
          {visible(name)}: {quantity(forward[cable])} there, {quantity(back[cable])} back, in {unit}
          {notes[cable] ? `; ${visible(notes[cable])}` : ""}
        </p>
      ))}
      <p class="acts">
        {hasFailed ? (
          <Act does={() => model.choose({ failed_cables: without(state.failed_cables, cable) })}>Restore it</Act>
        ) : (
          <Act does={() => model.choose({ failed_cables: withOne(state.failed_cables, cable) })}>Let it fail</Act>
        )}
        {beside.length > 1 &&
          beside.map((other, place) => (
            <Act key={other} isPressed={other === cable} does={() => model.go({ picked: { cable: other } })}>
              {`${place + 1} of ${beside.length}`}
            </Act>
          ))}
      </p>
      {!hasFailed && <Crossings model={model} cable={cable} state={state} key={cable} />}
      {!hasFailed && <Without model={model} of={{ cable }} state={state} />}
      <UnderOthers model={model} cable={cable} state={state} />
    </>
  );
}

/** Cables between the same two switches. */
function parallel(model: Model, cable: number): number[] {
  const { a, b } = model.scene.cables;
  const [one, other] = [a[cable], b[cable]];
  const found: number[] = [];
  a.forEach((end, at) => {
    if ((end === one && b[at] === other) || (end === other && b[at] === one)) found.push(at);
  });
  return found;
}

function Crossings(props: { model: Model; cable: number; state: State }) {
  const { model, cable, state } = props;
  const [search, setSearch] = useState("");
  const question = crossingsOf(state, cable, search);
  return (
    <>
      <p class="find">
        <label for="search-pairs">Search the pairs that cross it</label>
        <input
          id="search-pairs"
          type="search"
          value={search}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </p>
      <Told answer={model.answers.to(question)}>
        {(answer) => (
          <div class="both-ways">
            <OneWay model={model} title={cableName(model.scene, cable, true)} crossing={answer.forward} />
            <OneWay model={model} title={cableName(model.scene, cable, false)} crossing={answer.back} />
          </div>
        )}
      </Told>
    </>
  );
}

function OneWay(props: { model: Model; title: string; crossing: Crossing }) {
  const { model, crossing } = props;
  const { scene } = model;
  const rest = crossing.matching - crossing.shown.length;
  return (
    <section>
      <h4>
        <bdi>{props.title}</bdi>
      </h4>
      <p>
        Load {quantity(crossing.load)}; {counted(crossing.pairs, "pair")} of hosts
        {crossing.matching !== crossing.pairs ? `, ${quantity(crossing.matching, 12)} of them by this search` : ""}
        {rest > 0 ? `; the first ${quantity(crossing.shown.length)}:` : crossing.shown.length ? ":" : "."}
      </p>
      {crossing.shown.length > 0 && (
        <ul class="pairs" tabIndex={0} aria-label={`Pairs over ${props.title}`}>
          {crossing.shown.map(({ source, destination }) => (
            <li key={`${source} ${destination}`}>
              <button type="button" onClick={() => model.go({ picked: { source, destination } })}>
                <bdi>{hostName(scene, source)}</bdi> → <bdi>{hostName(scene, destination)}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Without(props: { model: Model; of: { cable: number } | { switch: number }; state: State }) {
  const { model, of, state } = props;
  const { scene } = model;
  return (
    <section class="without">
      <h4>Without it</h4>
      <Later model={model} title="Work it out">
        {() => (
          <Told answer={model.answers.to({ question: "without", state, ...of })}>
            {(answer) => (
              <>
                <p class={answer.free ? "verdict good" : "verdict bad"}>
                  <strong>{answer.free ? "Safe." : "Not safe."}</strong> {answer.words}
                </p>
                <p class="acts">
                  <Act does={() => model.go({ change: { ...of, done: 0 } })}>Watch the tables change</Act>
                </p>
                {answer.why_anew && <p class="hint">Routed anew: {answer.why_anew}</p>}
                <Figures
                  rows={[
                    [
                      "Largest load",
                      quantity(answer.largest_load) +
                        (answer.largest_load === null || answer.before === null
                          ? ""
                          : ` (${change(answer.largest_load - answer.before)})`),
                    ],
                    [
                      "Hosts cut off",
                      answer.cut_off.length
                        ? `${quantity(answer.cut_off.length)}: ${answer.cut_off
                            .slice(0, 8)
                            .map((host) => hostName(scene, host))
                            .join(", ")}${answer.cut_off.length > 8 ? " …" : ""}`
                        : "none",
                    ],
                    [
                      "Changed entries",
                      answer.changed_entries === null || !answer.entries
                        ? "–"
                        : `${quantity(answer.changed_entries, 12)} of ${quantity(answer.entries, 12)} ` +
                          `(${inPercent(answer.changed_entries / answer.entries)})`,
                    ],
                  ]}
                />
              </>
            )}
          </Told>
        )}
      </Later>
    </section>
  );
}

/** Routings are asked one by one, so that each is told as soon as it is there. */
function UnderOthers(props: { model: Model; cable: number; state: State }) {
  const { model, cable, state } = props;
  const [isOpen, setIsOpen] = useState(false);
  const rows = [];
  if (isOpen) {
    for (const { name } of model.scene.routings) {
      const answer = model.answers.to({ question: "loads_of_cable", state, cable, routings: [name] });
      rows.push({ name, answer });
      if (answer.is === "waited for") break;
    }
  }
  return (
    <details class="inner" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Its load under other routings</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Routing</th>
              <th scope="col" class="number">There</th>
              <th scope="col" class="number">Back</th>
              <th scope="col" class="number">Largest of all</th>
              <th scope="col">Safe</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, answer }) => {
              const row = answer.is === "there" ? answer.answer.rows[0] : undefined;
              const why = answer.is === "refused" ? answer.why : row?.error;
              return (
                <tr key={name} aria-current={name === state.routing ? "true" : undefined}>
                  <th scope="row">{name}</th>
                  {why !== undefined || !row ? (
                    <td colSpan={4}>{why ?? "working it out …"}</td>
                  ) : (
                    <>
                      <td class="number">{quantity(row.forward)}</td>
                      <td class="number">{quantity(row.back)}</td>
                      <td class="number">{quantity(row.largest_load)}</td>
                      <td>{row.free ? "yes" : "no"}</td>
                    </>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}
