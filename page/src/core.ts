// The core of Weft as WebAssembly, in a worker, so that the page stays alive while it works.

import { type Asker, Refused } from "./asker";
import { Damaged } from "./scene";

/** What the core's module exports; texts are UTF-8 in its memory. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Make room for so many bytes and say where. */
  weft_room(bytes: number): number;
  /** Open the fabric in the room: 0, or 1 where the answer says why not. */
  weft_open(): number;
  /** Add routes to it, after a line with their name: 0, or 1 where the answer says why not. */
  weft_add(): number;
  /** Add what stands in the file of a pattern, after a line with the pattern: 0, or 1 as above. */
  weft_add_pattern(): number;
  /** Answer the question in the room. */
  weft_ask(): void;
  weft_answer(): number;
  weft_answer_bytes(): number;
}

/** What the worker is sent: what it opens, or a question. */
interface Message {
  readonly number?: number;
  readonly module?: Uint8Array<ArrayBuffer>;
  readonly fabric?: Uint8Array;
  readonly given?: Given;
  readonly question?: string;
}

/** Texts with the names that states give them. */
export interface Given {
  readonly routes: readonly (readonly [string, string])[];
  readonly patterns: readonly (readonly [string, string])[];
}

interface Core {
  ask(question: string): Promise<string>;
}

/**
 * Make a core of a module and open a fabric in it; what is wrong with the fabric is given back.
 *
 * It runs within the worker too, so it uses nothing from outside itself. A core that stopped on a bug is
 * made anew for the next question.
 */
async function made(
  module: Uint8Array<ArrayBuffer>,
  fabric: Uint8Array,
  given: Given,
): Promise<Core | string> {
  const compiled = await WebAssembly.compile(module);
  let exports: Exports | null = null;
  const give = (to: Exports, bytes: Uint8Array): void => {
    const pointer = to.weft_room(bytes.length);
    new Uint8Array(to.memory.buffer, pointer, bytes.length).set(bytes);
  };
  const told = (by: Exports): string =>
    new TextDecoder().decode(new Uint8Array(by.memory.buffer, by.weft_answer(), by.weft_answer_bytes()));
  const begin = async (): Promise<Exports> => {
    const begun = (await WebAssembly.instantiate(compiled)).exports as unknown as Exports;
    give(begun, fabric);
    if (begun.weft_open() !== 0) throw new Error(told(begun));
    const add = (texts: Given["routes"], taken: () => number): void => {
      for (const [name, text] of texts) {
        give(begun, new TextEncoder().encode(`${name}\n${text}`));
        if (taken() !== 0) throw new Error(told(begun));
      }
    };
    add(given.routes, () => begun.weft_add());
    add(given.patterns, () => begun.weft_add_pattern());
    return begun;
  };
  try {
    exports = await begin();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return {
    async ask(question) {
      const asked = (exports ??= await begin());
      exports = null;
      give(asked, new TextEncoder().encode(question));
      asked.weft_ask();
      const answer = told(asked);
      exports = asked;
      return answer;
    },
  };
}

/** The worker's own part: first the core and the fabric, then questions one after another. */
function work(make: typeof made): void {
  let core: Core | null = null;
  let turn = Promise.resolve();
  const act = async ({ number, module, fabric, given, question }: Message): Promise<void> => {
    try {
      if (module && fabric) {
        const found = await make(module, fabric, given ?? { routes: [], patterns: [] });
        if (typeof found !== "string") core = found;
        self.postMessage({ number, text: typeof found === "string" ? found : null });
      } else {
        self.postMessage({ number, text: await core?.ask(question ?? "") });
      }
    } catch (error) {
      self.postMessage({ number, failure: String(error) });
    }
  };
  self.onmessage = ({ data }: MessageEvent) => {
    turn = turn.then(() => act(data));
  };
}

class WorkerAsker implements Asker {
  readonly words = "worked out by this page itself";
  readonly atOnce = 1;
  private readonly waiting = new Map<number, { resolve: (text: string | null) => void; reject: (why: Error) => void }>();
  private count = 0;

  constructor(private readonly worker: Worker) {
    worker.onmessage = ({ data }) => {
      const one = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if (data.failure === undefined) one?.resolve(data.text);
      else one?.reject(new Refused(`The core of this page failed: ${data.failure}`));
    };
    worker.onerror = (event) => {
      for (const one of this.waiting.values()) {
        one.reject(new Refused(`The core of this page ended: ${event.message || "no reason given"}`));
      }
      this.waiting.clear();
    };
  }

  send(message: Message): Promise<string | null> {
    const number = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, ...message });
    });
  }

  async ask(question: string): Promise<string> {
    return (await this.send({ question })) ?? "";
  }
}

class PageAsker implements Asker {
  readonly words = "worked out by this page itself";
  readonly atOnce = 1;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly core: Core) {}

  ask(question: string): Promise<string> {
    // What is shown until now is drawn first.
    const answer = this.turn
      .then(() => new Promise((resolve) => setTimeout(resolve)))
      .then(() => this.core.ask(question))
      .catch((error: unknown) => {
        throw new Refused(`The core of this page failed: ${String(error)}`);
      });
    this.turn = answer.catch(() => null);
    return answer;
  }
}

/** Open a fabric in the core; browsers that start no worker for a file run it in the page. */
export async function openCore(
  module: Uint8Array<ArrayBuffer>,
  fabric: Uint8Array,
  given: Given,
): Promise<Asker> {
  if (!WebAssembly.validate(module)) throw new Damaged("The core in this page is damaged.");
  const wrong = (text: string): Damaged => {
    const what = text.match(/"what":"((?:[^"\\]|\\.)*)"/)?.[1] ?? text;
    return new Damaged(`The network in this page cannot be opened: ${what.slice(0, 300)}`);
  };
  const worker = started();
  if (worker) {
    const asker = new WorkerAsker(worker);
    const failure = await asker.send({ module, fabric, given });
    if (failure !== null) throw wrong(failure);
    return asker;
  }
  const core = await made(module, fabric, given);
  if (typeof core === "string") throw wrong(core);
  return new PageAsker(core);
}

function started(): Worker | null {
  const source = `(${work})(${made})`;
  try {
    return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  } catch {
    return null;
  }
}
