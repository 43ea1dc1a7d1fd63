// Small parts that panels are made of.

import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { Answer } from "../answers";
import type { Model } from "../model";
import type { AnswerTo, Kind } from "../questions";

/** So many matches of a search are offered. */
const OFFERED = 50;

/** A panel with a heading that opens and closes. */
export function Panel(props: { title: string; id: string; isOpen?: boolean; children: ComponentChildren }) {
  return (
    <details class="panel" id={props.id} open={props.isOpen ?? true}>
      <summary>
        <h2>{props.title}</h2>
      </summary>
      <div class="body">{props.children}</div>
    </details>
  );
}

/** What became of a question; what is there is shown by the function given. */
export function Told<K extends Kind>(props: {
  answer: Answer<K>;
  children: (answer: AnswerTo<K>) => ComponentChildren;
}) {
  const { answer } = props;
  if (answer.is === "waited for") return <p class="waiting">Working it out …</p>;
  if (answer.is === "refused") return <p class="refused">{answer.why}</p>;
  return <>{props.children(answer.answer)}</>;
}

/** What takes long on a large network, behind a button there. */
export function Later(props: { model: Model; title: string; children: () => ComponentChildren }) {
  const [isWanted, setWanted] = useState(!props.model.isLarge);
  if (isWanted) return <>{props.children()}</>;
  return (
    <p class="acts">
      <Act does={() => setWanted(true)}>{props.title}</Act>
    </p>
  );
}

/** Find one of many by name: what is typed is looked for anywhere in the names. */
export function Find(props: {
  label: string;
  names: readonly string[];
  value?: string;
  found: (index: number) => void;
}) {
  const id = useId();
  const [text, setText] = useState<string | null>(null);
  const lower = useMemo(() => props.names.map((name) => name.toLowerCase()), [props.names]);
  const offered = useMemo(() => {
    if (text === null) return [];
    const wanted = text.toLowerCase();
    const matches: number[] = [];
    for (let at = 0; at < lower.length && matches.length < OFFERED; at++) {
      if ((lower[at] as string).includes(wanted)) matches.push(at);
    }
    return matches;
  }, [text, lower]);
  const take = (typed: string): void => {
    const exact = props.names.indexOf(typed);
    const only = offered.length === 1 && typed ? (offered[0] as number) : -1;
    const index = exact >= 0 ? exact : only;
    if (index >= 0) {
      setText(null);
      props.found(index);
    }
  };
  const isNone = text !== null && text !== "" && offered.length === 0;
  return (
    <span class="find">
      <label for={id}>{props.label}</label>
      <input
        id={id}
        list={`${id}-list`}
        value={text ?? props.value ?? ""}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={isNone}
        onFocus={(event) => {
          setText("");
          event.currentTarget.select();
        }}
        onBlur={() => setText(null)}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          if (props.names.includes(typed)) take(typed);
        }}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {offered.map((at) => (
          <option key={at} value={props.names[at]} />
        ))}
      </datalist>
      {isNone && <span class="hint">no such name</span>}
    </span>
  );
}

/** A name to choose; unless these are all there are, a text that takes effect when it is confirmed as well. */
export function Choose(props: {
  label: string;
  value: string;
  choices: readonly { readonly name: string; readonly words: string }[];
  areAll?: boolean;
  chosen: (value: string) => void;
}) {
  const id = useId();
  const isListed = props.choices.some((choice) => choice.name === props.value);
  const words = props.choices.find((choice) => choice.name === props.value)?.words;
  return (
    <div class="choose">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.chosen(event.currentTarget.value)}>
        {props.choices.map((choice) => (
          <option key={choice.name} value={choice.name}>
            {choice.name}
          </option>
        ))}
        {!isListed && <option value={props.value}>{props.value}</option>}
      </select>
      {!props.areAll && (
        <>
          <label class="hidden" for={`${id}-text`}>{`${props.label}, with parameters`}</label>
          <input
            id={`${id}-text`}
            key={props.value}
            defaultValue={props.value}
            autocomplete="off"
            spellcheck={false}
            onChange={(event) => {
              const text = event.currentTarget.value.trim();
              if (text) props.chosen(text);
            }}
          />
        </>
      )}
      {words && <p class="hint">{words}</p>}
    </div>
  );
}

/** A button that reads as what it does. */
export function Act(props: { does: () => void; children: ComponentChildren; isPressed?: boolean; title?: string }) {
  return (
    <button
      type="button"
      onClick={props.does}
      {...(props.title ? { title: props.title } : {})}
      {...(props.isPressed === undefined ? {} : { "aria-pressed": props.isPressed })}
    >
      {props.children}
    </button>
  );
}

/** Figures beside their names. */
export function Figures(props: { rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="figures">
      {props.rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
