import assert from "node:assert/strict";
import type { Contender } from "./contenders.ts";
import type { Question } from "./load/load-protocol.ts";
import type { SeededSouls } from "./seed-souls.ts";

export const LIST_PATH = "/api/souls?limit=20";
const soulPath = (id: number) => `/api/soul/${id}`;
/** The number of concurrent requests while the responses of two servers are compared. */
const CONCURRENCY = 16;

export interface Questions {
  soul: Question[];
  list: Question[];
}

/**
 * Compares a contender's responses with the reference's before the measurement: every soul, the
 * list, and 404 for private souls.
 * @returns the requests for the load generator
 * @throws AssertionError for the first difference
 */
export async function compareResponses(
  contender: Contender,
  reference: Contender,
  { publicIds, privateIds }: SeededSouls,
): Promise<Questions> {
  const compare = async (path: string): Promise<Question> => {
    const [actual, expected] = await Promise.all([get(contender, path), get(reference, path)]);
    assert.equal(actual.status, 200, `${contender.name} returns ${actual.status} for ${path}`);
    assert.deepEqual(actual.body, expected.body, `${contender.name} differs in ${path}`);
    return { path, answerBytes: actual.bytes };
  };
  const list = await compare(LIST_PATH);
  const soul: Question[] = [];
  const ids = publicIds.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const id of ids) soul.push(await compare(soulPath(id)));
    }),
  );
  for (const id of privateIds) {
    const { status } = await get(contender, soulPath(id));
    assert.equal(status, 404, `${contender.name} shows the private soul ${id}`);
  }
  return { soul, list: [list] };
}

async function get({ port }: Contender, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    bytes: bytes.length,
    body: isJson ? JSON.parse(bytes.toString()) : null,
  };
}
