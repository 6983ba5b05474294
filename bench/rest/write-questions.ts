import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import pg from "pg";
import type { Contender } from "./contenders.ts";
import type { Question } from "./load/load-protocol.ts";

const LIKERS_PER_SOUL = 4;
const CONTENT_CHARS = 1_500;

/**
 * Gives every account an API key, and what the load generator shall change: each soul is liked by a
 * few accounts and edited by its owner, so that 64 connections seldom meet at one row.
 */
export async function writeQuestions(databaseUrl: string, souls: number[]) {
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
  // So that counters equal their rows, at the end too.
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
    /** Both answer a change alike, and leave the same rows behind; a wrong key changes nothing. */
    async compare(...contenders: [Contender, Contender]) {
      for (const question of [like[0], like[0], like[5], like[5], change[0], change[9]]) {
        const seen = [];
        for (const { port } of contenders) {
          // A like is a toggle: each contender starts where the other did.
          if (question?.path === "/api/like") {
            await pool.query("delete from likes");
            await pool.query("update souls set like_count = 0 where like_count <> 0");
          }
          seen.push(await send(port, question));
        }
        assert.deepEqual(seen[0], seen[1]);
        assert.equal(seen[0]?.status, 200);
      }
      for (const { port } of contenders) {
        const wrong = like[0]?.write && {
          ...like[0],
          write: { ...like[0].write, apiKey: apiKey(-1) },
        };
        assert.equal((await send(port, wrong)).status, 401);
      }
    },
    /** Whoever did it: counters equal their rows. */
    async checkTables() {
      const { rows } = await pool.query(
        `select id from souls where like_count <> (select count(*) from likes where soul_id = souls.id)`,
      );
      assert.equal(rows.length, 0, "like_count is not the number of likes");
      await pool.end();
    },
  };
}

async function send(port: number, question: Question | undefined) {
  assert(question?.write);
  const { method, apiKey: key, body } = question.write;
  const answer = await fetch(`http://127.0.0.1:${port}${question.path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
  return { status: answer.status, body: answer.status === 200 ? await answer.json() : null };
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** As the hub makes them, checksum included, but not by chance. */
function apiKey(index: number): string {
  const text = `shk_${createHash("sha256").update(`bench ${index}`).digest("hex").slice(0, 30)}`;
  let checksum = "";
  for (let rest = crc32(text); checksum.length < 6; rest = Math.floor(rest / ALPHABET.length)) {
    checksum = ALPHABET.charAt(rest % ALPHABET.length) + checksum;
  }
  return text + checksum;
}

const hashOf = (key: string) => createHash("sha256").update(key).digest("base64url");
