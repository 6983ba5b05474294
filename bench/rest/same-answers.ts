import assert from "node:assert/strict";
import type { Contender } from "./contenders.ts";
import type { Question } from "./load/load-protocol.ts";
import type { SeededSouls } from "./seed-souls.ts";

export const LIST_PATH = "/api/souls?limit=20";
const soulPath = (id: number) => `/api/soul/${id}`;
/** Requests on their way at once while answers are compared. */
const LANES = 16;

export interface Questions {
  soul: Question[];
  list: Question[];
}

/**
 * Compares the answers of one contender with the yardstick's before anything is measured: every soul,
 * the list, and that private souls are not there. Gives what the load generator shall ask for.
 */
export async function compareAnswers(
  contender: Contender,
  yardstick: Contender,
  { publicIds, privateIds }: SeededSouls,
): Promise<Questions> {
  const compare = async (path: string): Promise<Question> => {
    const [given, wanted] = await Promise.all([ask(contender, path), ask(yardstick, path)]);
    assert.equal(given.status, 200, `${contender.name} answers ${path} with ${given.status}`);
    assert.deepEqual(given.body, wanted.body, `${contender.name} answers ${path} differently`);
    return { path, answerBytes: given.bytes };
  };
  const list = await compare(LIST_PATH);
  const soul: Question[] = [];
  const ids = publicIds.values();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (const id of ids) soul.push(await compare(soulPath(id)));
    }),
  );
  for (const id of privateIds) {
    const { status } = await ask(contender, soulPath(id));
    assert.equal(status, 404, `${contender.name} shows the private soul ${id}`);
  }
  return { soul, list: [list] };
}

async function ask({ port }: Contender, path: string) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return {
    status: answer.status,
    bytes: bytes.length,
    body: isJson ? JSON.parse(bytes.toString()) : null,
  };
}
