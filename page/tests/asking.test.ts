import assert from "node:assert/strict";
import { test } from "node:test";
import { Answers } from "../src/answers";
import { answered, type Asker, Refused } from "../src/asker";

const state = { routing: "updown", pattern: "uniform", failed_cables: [], failed_switches: [] };
const question = { question: "routing", state } as const;

function asker(answer: (question: string) => string | Promise<string>): Asker & { asked: string[] } {
  const asked: string[] = [];
  return {
    words: "made up",
    atOnce: 1000,
    asked,
    async ask(text) {
      asked.push(text);
      return answer(text);
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test("a question is asked once however often its answer is wanted", async () => {
  const by = asker(() => '{"lanes": 2}');
  let arrivals = 0;
  const answers = new Answers(by, () => (arrivals += 1));
  assert.equal(answers.to(question).is, "waited for");
  assert.equal(answers.to({ ...question }).is, "waited for");
  await settled();
  const found = answers.to(question);
  assert.ok(found.is === "there" && found.answer.lanes === 2);
  assert.deepEqual([by.asked.length, arrivals], [1, 1]);
  assert.deepEqual(JSON.parse(by.asked[0] as string), question);
});

test("what was not wanted for long is forgotten, not what was just wanted", async () => {
  const by = asker(() => "{}");
  const answers = new Answers(by, () => {});
  answers.to(question);
  for (let step = 0; step < 250; step++) {
    answers.to({ question: "run", state, load: 0.1, cycles: 100, seed: step });
    answers.to(question);
    if (step === 125) await settled();
  }
  await settled();
  assert.equal(answers.to(question).is, "there");
  assert.equal(by.asked.length, 251);
  answers.to({ question: "run", state, load: 0.1, cycles: 100, seed: 0 });
  assert.equal(by.asked.length, 252);
});

test("what takes long is asked after all else, and what was wanted last is asked first", async () => {
  const waiting: (() => void)[] = [];
  const by = {
    ...asker((): Promise<string> => new Promise((resolve) => waiting.push(() => resolve("{}")))),
    atOnce: 2,
  };
  const answers = new Answers(by, () => {});
  const cable = (at: number) => ({ question: "cable", state, cable: at, search: "", first: 0, count: 1 }) as const;
  answers.to({ question: "limits", state });
  answers.to({ question: "without", state, cable: 0 });
  answers.to(cable(0));
  answers.to(cable(1));
  answers.to(cable(2));
  while (by.asked.length < 5) {
    waiting.pop()?.();
    await settled();
  }
  const order = by.asked.map((text) => JSON.parse(text)).map((one) => one.cable ?? one.question);
  assert.deepEqual(order, ["limits", 0, 2, 1, 0]);
  assert.deepEqual(JSON.parse(by.asked[4] as string).question, "without");
});

test("what takes long waits until the answer before it is painted", async () => {
  const by = asker(() => "{}");
  const answers = new Answers(by, () => {});
  answers.to(question);
  answers.to({ question: "without", state, cable: 0 });
  await settled();
  assert.equal(by.asked.length, 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(by.asked.length, 2);
});

const REFUSALS: [string, string, string][] = [
  ["a refusal", '{"error": {"what": "found no such routing"}}', "found no such routing"],
  ["a refusal as text", '{"error": "no"}', "no"],
  ["no JSON", "<html>", "The answer is not JSON: <html>"],
  ["no object", "3", "The answer is no object: 3"],
];

for (const [what, text, told] of REFUSALS) {
  test(`${what} is told in words`, async () => {
    await assert.rejects(
      answered(asker(() => text), question),
      (error) => error instanceof Refused && error.message === told,
    );
    const answers = new Answers(asker(() => text), () => {});
    answers.to(question);
    await settled();
    assert.deepEqual(answers.to(question), { is: "refused", why: told });
  });
}
