import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import pg from "pg";
import type { Contender } from "./contenders.ts";
import type { Question } from "./load/load-protocol.ts";

const LIKERS_PER_SOUL = 4;
const CONTENT_CHARS = 1_500;

/**
 * Gives every account an API key and returns the write requests for the load generator. A few
 * accounts like each soul, and its owner edits it. Connections therefore seldom lock the same row.
 */
export async function prepareWrites(databaseUrl: string, souls: number[]) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, allowExitOnIdle: true });
  const { rows: accounts } = await pool.query<{ id: string }>(
    "select id from accounts order by id",
  );
  const keys = new Map(accounts.map(({ id }, index) => [id, apiKey(index)]));
  await pool.query(
    `update accounts set api_key_hash = given.hash
      from unnest($1::bigint[], $2::text[]) as given (id, hash) where accounts.id = given.id`,
    [[...keys.keys()], [...keys.values()].map(hashOf)],
  );
  // The like counters start at 0, because `checkTables` compares them with the rows in `likes`.
  await pool.query("update souls set like_count = 0");
  const { rows: owned } = await pool.query<{ id: string; user_id: string }>(
    "select id, user_id from souls where id = any($1::bigint[]) order by id",
    [souls],
  );
  const allKeys = [...keys.values()];
  const like = owned.flatMap(({ id }, index) =>
    Array.from({ length: LIKERS_PER_SOUL }, (_, nth): Question => {
      const key = allKeys[(index * 7 + nth * 31) % allKeys.length] ?? "";
      const body = JSON.stringify({ soul_id: Number(id) });
      return { path: "/api/like", answerBytes: null, write: { method: "POST", apiKey: key, body } };
    }),
  );
  const change = owned.map(({ id, user_id }, index): Question => {
    const description = `Edited, soul ${id}: reads every line and answers in plain words.`;
    const content = `# Who you are\n\n${`Number ${index}, patient and brief. `.repeat(60)}`;
    const body = JSON.stringify({ description, content: content.slice(0, CONTENT_CHARS) });
    const write = { method: "PUT" as const, apiKey: keys.get(user_id) ?? "", body };
    return { path: `/api/soul/${id}`, answerBytes: null, write };
  });
  return {
    questions: { like, change },
    /**
     * Asserts that both contenders return the same responses to writes, and 401 for an unknown key.
     */
    async compare(...contenders: [Contender, Contender]) {
      for (const question of [like[0], like[0], like[5], like[5], change[0], change[9]]) {
        const responses = [];
        for (const { port } of contenders) {
          // A like is a toggle, so both contenders must start from the same state.
          if (question?.path === "/api/like") {
            await pool.query("delete from likes");
            await pool.query("update souls set like_count = 0 where like_count <> 0");
          }
          responses.push(await send(port, question));
        }
        assert.deepEqual(responses[0], responses[1]);
        assert.equal(responses[0]?.status, 200);
      }
      for (const { port } of contenders) {
        const wrong = like[0]?.write && {
          ...like[0],
          write: { ...like[0].write, apiKey: apiKey(-1) },
        };
        assert.equal((await send(port, wrong)).status, 401);
      }
    },
    /**
     * Asserts that every `like_count` equals the rows in `likes`, after writes by all contenders.
     */
    async checkTables() {
      const { rows } = await pool.query(
        `select id from souls where like_count <> (select count(*) from likes where soul_id = souls.id)`,
      );
      assert.equal(rows.length, 0, "like_count differs from the number of likes");
      await pool.end();
    },
  };
}

async function send(port: number, question: Question | undefined) {
  assert(question?.write);
  const { method, apiKey: key, body } = question.write;
  const response = await fetch(`http://127.0.0.1:${port}${question.path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
  return { status: response.status, body: response.status === 200 ? await response.json() : null };
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns an API key in the hub's format, with its checksum, derived from the index. */
function apiKey(index: number): string {
  const text = `shk_${createHash("sha256").update(`bench ${index}`).digest("hex").slice(0, 30)}`;
  let checksum = "";
  for (let rest = crc32(text); checksum.length < 6; rest = Math.floor(rest / ALPHABET.length)) {
    checksum = ALPHABET.charAt(rest % ALPHABET.length) + checksum;
  }
  return text + checksum;
}

const hashOf = (key: string) => createHash("sha256").update(key).digest("base64url");
