import { expect, it } from "vitest";
import { createKeptAnswers } from "./kept-answers.ts";

it("forgets the oldest yes when there are too many", async () => {
  const asked: string[] = [];
  const answers = createKeptAnswers({ keepMs: 1_000, max: 2, now: () => 0 });
  const ask = (question: string) =>
    answers(question, async () => {
      asked.push(question);
      return true;
    });
  for (const question of ["a", "b", "c", "c", "b", "a", "c", "b"]) await ask(question);
  expect(asked.join("")).toBe("abcab");
});

it("keeps nothing where nothing is to be kept", async () => {
  let asked = 0;
  const answers = createKeptAnswers({ keepMs: 0, max: 0, now: () => 0 });
  const ask = () =>
    answers("a", async () => {
      asked++;
      return true;
    });
  await Promise.all([ask(), ask()]);
  await ask();
  expect(asked).toBe(2);
});
