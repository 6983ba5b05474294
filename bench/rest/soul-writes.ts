import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import pg from "pg";
import type { Question } from "../load/load-protocol.ts";
import { actorOf } from "../processes/member.ts";
import { HUB } from "../runner/bench.ts";
import { blame } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import { type Contenders, contendersOf, REFERENCE } from "./contenders.ts";

const LIKERS_PER_SOUL = 4;
const CONTENT_CHARS = 1_500;
/** The contenders that write. */
export const WRITERS = [HUB, REFERENCE];

type Write = Question & { write: NonNullable<Question["write"]> };

export interface SoulWrites {
  like: Write[];
  change: Write[];
  /** @throws Error if the contenders' responses or the rows that they store differ */
  compare(writes: Write[]): Promise<void>;
  /** @throws Error if a like or a version is lost or counted twice */
  checkTables(): Promise<void>;
}

/**
 * Gives every account an API key and returns the write requests for the load generator. A few
 * accounts like each soul, and its owner edits it. Connections therefore seldom lock the same row.
 */
export const soulWritesOf = (stage: Stage): Promise<SoulWrites> =>
  stage.share("writes", async () => prepareWrites(stage, await contendersOf(stage)));

async function prepareWrites(
  stage: Stage,
  { databaseUrl, souls, servers }: Contenders,
): Promise<SoulWrites> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  stage.onEnd(() => pool.end());
  const rowsOf = async (query: string, values: unknown[] = []) =>
    (await pool.query<Record<string, string>>(query, values)).rows;
  const accounts = await rowsOf("select id from accounts order by id");
  const keys = new Map(accounts.map(({ id }, index) => [id, apiKey(index)]));
  await pool.query(
    `update accounts set api_key_hash = given.hash
      from unnest($1::bigint[], $2::text[]) as given (id, hash) where accounts.id = given.id`,
    [[...keys.keys()], [...keys.values()].map(hashOf)],
  );
  // The like counters start at 0, because `checkTables` compares them with the rows in `likes`.
  const reset = async () => {
    await pool.query("delete from likes");
    await pool.query("delete from soul_versions");
    await pool.query(
      "update souls set like_count = 0, version = 1 where like_count <> 0 or version <> 1",
    );
  };
  const stored = async () => [
    await rowsOf("select soul_id, user_id from likes"),
    await rowsOf("select * from soul_versions").then((rows) =>
      rows.map(({ id: _, created_at: __, edited_at: ___, ...row }) => row),
    ),
    await rowsOf(
      `select id, description, content, file_type, like_count, version, version_note, signature
        from souls order by id`,
    ),
  ];
  await reset();
  const owned = await rowsOf(
    "select id, user_id from souls where id = any($1::bigint[]) order by id",
    [souls.publicIds],
  );
  const allKeys = [...keys.values()];
  const like = owned.flatMap(({ id }, index) =>
    Array.from({ length: LIKERS_PER_SOUL }, (_, nth): Write => {
      const key = allKeys[(index * 7 + nth * 31) % allKeys.length] ?? "";
      const body = JSON.stringify({ soul_id: Number(id) });
      return { path: "/api/like", answerBytes: null, write: { method: "POST", apiKey: key, body } };
    }),
  );
  const change = owned.map(({ id, user_id = "" }, index): Write => {
    const description = `Edited, soul ${id}: reads every line and answers in plain words.`;
    const content = `# Who you are\n\n${`Number ${index}, patient and brief. `.repeat(60)}`;
    const body = JSON.stringify({ description, content: content.slice(0, CONTENT_CHARS) });
    const write = { method: "PUT" as const, apiKey: keys.get(user_id) ?? "", body };
    return { path: `/api/soul/${id}`, answerBytes: null, write };
  });
  return {
    like,
    change,
    async compare(writes) {
      const [first, , , fourth] = writes;
      if (!first || !fourth) throw new Error("There are no writes to compare.");
      const before = await stored();
      const outcomes = new Map<string, unknown>();
      for (const { name, url } of servers.filter(({ name }) => WRITERS.includes(name))) {
        // A like is a toggle and an edit makes the next version, so all start from one state.
        await reset();
        const outcome = await blame(name, async () => {
          const answers = [];
          for (const write of [first, first, fourth]) answers.push(await send(url, write));
          const wrong = { ...first, write: { ...first.write, apiKey: apiKey(-1) } };
          assert.equal((await send(url, wrong)).status, 401, "an unknown key is accepted");
          return { answers, rows: await stored() };
        });
        outcomes.set(name, outcome);
        await pool.query(
          `update souls set description = given.description, content = given.content,
              file_type = given.file_type, updated_at = created_at
            from json_to_recordset($1) as given (id bigint, description text, content text,
              file_type text) where souls.id = given.id and souls.version > 1`,
          [JSON.stringify(before[2])],
        );
      }
      await blame(HUB, async () =>
        assert.deepEqual(outcomes.get(HUB), outcomes.get(REFERENCE), `differs from ${REFERENCE}`),
      );
    },
    async checkTables() {
      const wrong = await rowsOf(
        `select id from souls where like_count <> (select count(*) from likes where soul_id = souls.id)
          or version <> 1 + (select count(distinct number) from soul_versions where soul_id = souls.id)
          or version <> 1 + (select count(*) from soul_versions where soul_id = souls.id)`,
      );
      assert.equal(wrong.length, 0, "likes or versions are lost or counted twice");
    },
  };
}

async function send(url: string, { path, write }: Write) {
  const { method, apiKey: key, body } = write;
  const headers = { "content-type": "application/json" };
  const answer = await actorOf(url, "writer", key).send(method, path, body, headers);
  return { status: answer.status, body: answer.status === 200 ? answer.body : null };
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
