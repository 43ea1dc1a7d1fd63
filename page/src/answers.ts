// Remembers answers, so that a panel says what it needs and shows what is there.

import { answered, type Asker, Refused } from "./asker";
import type { AnswerTo, Kind, Question } from "./questions";

export type Answer<K extends Kind> =
  | { readonly is: "waited for" }
  | { readonly is: "there"; readonly answer: AnswerTo<K> }
  | { readonly is: "refused"; readonly why: string };

/** So many answers are remembered, the last used longest. */
const MOST = 200;
const WAITED_FOR = { is: "waited for" } as const;

export class Answers {
  private readonly known = new Map<string, Answer<Kind>>();

  constructor(
    private readonly asker: Asker,
    private readonly arrived: () => void,
  ) {}

  /** Return the answer to a question; where it is not there yet it is asked for, once. */
  to<K extends Kind>(question: Question<K>): Answer<K> {
    const key = JSON.stringify(question);
    const known = this.known.get(key) as Answer<K> | undefined;
    if (known) {
      this.known.delete(key);
      this.known.set(key, known as Answer<Kind>);
      return known;
    }
    this.known.set(key, WAITED_FOR);
    if (this.known.size > MOST) this.known.delete(this.known.keys().next().value as string);
    answered(this.asker, question).then(
      (answer) => this.keep(key, { is: "there", answer } as Answer<Kind>),
      (error: unknown) => {
        if (!(error instanceof Refused)) console.error(error);
        const why = error instanceof Error ? error.message : String(error);
        this.keep(key, { is: "refused", why });
      },
    );
    return WAITED_FOR;
  }

  private keep(key: string, answer: Answer<Kind>): void {
    // What was forgotten while it was waited for is not wanted any more.
    if (!this.known.has(key)) return;
    this.known.set(key, answer);
    this.arrived();
  }
}
