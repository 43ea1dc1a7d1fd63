// Two ways of asking: the server that gave the page, or the core that the page holds itself.

import type { AnswerTo, Kind, Question } from "./questions";

/** Why there is no answer, in a sentence for whoever asked. */
export class Refused extends Error {}

/** Answers questions as text that is JSON, wherever they are worked out. */
export interface Asker {
  /** Where answers come from, in words. */
  readonly words: string;
  /** So many questions are worked on at once. */
  readonly atOnce: number;
  ask(question: string): Promise<string>;
}

/** Ask, and tell an answer from a refusal. */
export async function answered<K extends Kind>(
  asker: Asker,
  question: Question<K>,
): Promise<AnswerTo<K>> {
  const text = await asker.ask(JSON.stringify(question));
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Refused(`The answer is not JSON: ${text.slice(0, 200)}`);
  }
  if (typeof answer !== "object" || answer === null) {
    throw new Refused(`The answer is no object: ${text.slice(0, 200)}`);
  }
  if ("error" in answer) {
    const error = answer.error as { what?: unknown } | string | null;
    const what = typeof error === "string" ? error : error?.what;
    throw new Refused(typeof what === "string" ? what : `Refused: ${text.slice(0, 200)}`);
  }
  return answer as AnswerTo<K>;
}

/** The server of `weft explore`, at an address beside the page's own. */
export class ServerAsker implements Asker {
  readonly words = "worked out by the server of this page";
  readonly atOnce = 3;

  constructor(private readonly address: string) {}

  async ask(question: string): Promise<string> {
    let response: Response;
    try {
      response = await fetch(this.address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: question,
      });
    } catch {
      throw new Refused("The server of this page does not answer: is weft explore still running?");
    }
    const text = await response.text();
    if (!response.ok && !text.startsWith("{")) {
      throw new Refused(`The server refused the question (${response.status}): ${text.slice(0, 200)}`);
    }
    return text;
  }
}
