import assert from "node:assert/strict";
import type { Question } from "../load/load-protocol.ts";
import type { Server } from "../processes/server.ts";
import { blame } from "../runner/measure.ts";
import type { Contenders } from "./contenders.ts";

/** The number of concurrent requests while the responses of two servers are compared. */
const CONCURRENCY = 16;

/**
 * Compares the responses of all contenders with the reference's.
 * @param missing paths that all contenders answer with 404
 * @returns the requests for the load generator, by contender
 * @throws Error naming the first contender and path that differ
 */
export async function compareReads(
  { servers, reference }: Contenders,
  paths: string[],
  missing: string[] = [],
): Promise<Map<string, Question[]>> {
  const expected = new Map<string, unknown>();
  const questions = new Map<string, Question[]>();
  // The reference comes first: its responses are those expected.
  for (const server of [reference, ...servers]) {
    const asked: Question[] = [];
    const compare = async (path: string) => {
      const { status, bytes, body } = await get(server, path);
      assert.equal(status, 200, `${path} returns ${status}`);
      if (server === reference) expected.set(path, body);
      assert.deepEqual(body, expected.get(path), `${path} differs from ${reference.name}`);
      asked.push({ path, answerBytes: bytes });
    };
    await blame(server.name, async () => {
      const waiting = paths.values();
      const lane = async () => {
        for (const path of waiting) await compare(path);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, lane));
      for (const path of missing) {
        const { status } = await get(server, path);
        assert.equal(status, 404, `${path} returns ${status}, not 404`);
      }
    });
    questions.set(server.name, asked);
  }
  return questions;
}

async function get({ url }: Server, path: string) {
  const response = await fetch(url + path);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? JSON.parse(bytes.toString()) : null;
  return { status: response.status, bytes: bytes.length, body };
}
