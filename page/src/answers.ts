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
/** What takes long and is looked at later: one of them at a time, after all else. */
const LATER: ReadonlySet<Kind> = new Set<Kind>(["limits", "without", "loads_of_cable"]);
/** So long an answer has the processors to itself, to be painted by them. */
const PAUSE_MS = 80;

export class Answers {
  private readonly known = new Map<string, Answer<Kind>>();
  private queue: { readonly key: string; readonly question: Question }[] = [];
  private readonly underWay: Kind[] = [];
  private pause: ReturnType<typeof setTimeout> | null = null;

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
    this.queue.push({ key, question: question as Question });
    this.next();
    return WAITED_FOR;
  }

  /** Ask what was wanted last, as far as there is somebody free to answer. */
  private next(): void {
    // What was forgotten while it was waited for is not wanted any more.
    this.queue = this.queue.filter(({ key }) => this.known.has(key));
    while (this.underWay.length < this.asker.atOnce) {
      const isBusy = this.underWay.length > 0 || this.pause !== null;
      const soon = this.queue.findLastIndex(({ question }) => !LATER.has(question.question));
      const at = soon >= 0 || isBusy ? soon : this.queue.length - 1;
      const [one] = at >= 0 ? this.queue.splice(at, 1) : [];
      if (!one) return;
      const kind = one.question.question;
      this.underWay.push(kind);
      void this.answer(one.question).then((answer) => {
        this.underWay.splice(this.underWay.indexOf(kind), 1);
        this.keep(one.key, answer);
        if (!LATER.has(kind)) this.rest();
        this.next();
      });
    }
  }

  private rest(): void {
    if (this.pause !== null) clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      this.pause = null;
      this.next();
    }, PAUSE_MS);
  }

  private async answer(question: Question): Promise<Answer<Kind>> {
    try {
      return { is: "there", answer: await answered(this.asker, question) };
    } catch (error) {
      if (!(error instanceof Refused)) console.error(error);
      return { is: "refused", why: error instanceof Error ? error.message : String(error) };
    }
  }

  private keep(key: string, answer: Answer<Kind>): void {
    if (!this.known.has(key)) return;
    this.known.set(key, answer);
    this.arrived();
  }
}
