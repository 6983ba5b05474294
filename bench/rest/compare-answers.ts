import assert from "node:assert/strict";
import type { Question } from "../load/http-connection.ts";
import { actorOf } from "../processes/member.ts";
import type { Server } from "../processes/server.ts";
import { blame } from "../runner/measure.ts";

/** Asks a server. A body counts only in a success. */
async function answerOf({ url }: Server, { path, write }: Question) {
  const { method = "GET", apiKey = "", body } = write ?? {};
  const headers = { "content-type": "application/json" };
  const answer = await actorOf(url, "guest", apiKey).send(method, path, body, headers);
  const bytes = Buffer.byteLength(answer.text);
  return { status: answer.status, bytes, body: answer.status === 200 ? answer.body : null };
}

/**
 * Asks all servers the same questions, and compares their responses with those of the first server.
 * @param statuses the expected status of each question
 * @param around brings the database into its first state, and returns the rows after the questions
 * @returns the bytes of each response body, by server
 * @throws Error naming the first server and path that differ
 */
export async function compareAnswers(
  servers: Server[],
  questions: Question[],
  statuses: number[],
  around?: { reset(): Promise<unknown>; stored(): Promise<unknown> },
): Promise<Map<string, number[]>> {
  const expected: unknown[] = [];
  const sizes = new Map<string, number[]>();
  for (const server of servers) {
    const own: number[] = [];
    const compare = (n: number, found: unknown, what: string) => {
      if (server === servers[0]) expected[n] = found;
      assert.deepEqual(found, expected[n], `${what} differs from ${servers[0]?.name}`);
    };
    await around?.reset();
    await blame(server.name, async () => {
      for (const [n, question] of questions.entries()) {
        const { status, bytes, body } = await answerOf(server, question);
        assert.equal(status, statuses[n], `${question.path} returns ${status}`);
        compare(n, body, question.path);
        own.push(bytes);
      }
      compare(questions.length, await around?.stored(), "the stored rows");
    });
    sizes.set(server.name, own);
  }
  return sizes;
}
