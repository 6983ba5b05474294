import assert from "node:assert/strict";
import { createApiKey, hashCredential } from "@soul-hub/api/testing";
import pg from "pg";
import type { Question } from "../load/http-connection.ts";
import type { Stage } from "../runner/stage.ts";
import { compareAnswers } from "./compare-answers.ts";
import { contendersOf } from "./contenders.ts";

const LIKERS_PER_SOUL = 4;
const CONTENT_CHARS = 1_500;

type Write = Required<Pick<Question, "path" | "write">>;

/** The souls as they are before all writes. */
const keepSouls = `create table souls_before as select id, description, content, file_type from souls`;
/** A like is a toggle and an edit makes the next version, so all start from one state. */
const resetSouls = `
  delete from likes;
  delete from soul_versions;
  update souls set like_count = 0, version = 1, description = former.description,
      content = former.content, file_type = former.file_type, updated_at = created_at
    from souls_before former
    where former.id = souls.id and (souls.like_count <> 0 or souls.version <> 1)`;
const storedRows = `
  select 'like' as kind, jsonb_build_array(soul_id, user_id) as stored from likes
  union all select 'version', to_jsonb(v) - '{id, created_at, edited_at}'::text[]
    from soul_versions v
  union all select 'soul', jsonb_build_array(id, description, content, file_type, like_count,
    version, version_note, signature) from souls
  order by kind, stored`;
const wrongCounts = `
  select id from souls where like_count <> (select count(*) from likes where soul_id = souls.id)
    or version <> 1 + (select count(distinct number) from soul_versions where soul_id = souls.id)
    or version <> 1 + (select count(*) from soul_versions where soul_id = souls.id)`;

/**
 * Gives every account an API key and prepares write requests for the load generator. A few accounts
 * like each soul, and its owner edits it. Connections therefore seldom lock the same row.
 */
export const soulWritesOf = (stage: Stage) =>
  stage.share("writes", async () => {
    const { databaseUrl, publicIds, hub, reference } = await contendersOf(stage);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    stage.onEnd(() => pool.end());
    const rowsOf = async (query: string, values: unknown[] = []) =>
      (await pool.query<Record<string, string>>(query, values)).rows;
    const accounts = (await rowsOf("select id from accounts order by id")).map(({ id = "" }) => id);
    const keys = accounts.map(() => createApiKey());
    await rowsOf(
      `update accounts set api_key_hash = given.hash
        from unnest($1::bigint[], $2::text[]) as given (id, hash) where accounts.id = given.id`,
      [accounts, keys.map(hashCredential)],
    );
    const reset = () => pool.query(resetSouls);
    await pool.query(keepSouls);
    await reset();
    const owners = await rowsOf("select user_id from souls order by id");
    const likes = publicIds.flatMap((id, index) =>
      Array.from({ length: LIKERS_PER_SOUL }, (_, nth): Write => {
        const apiKey = keys[(index * 7 + nth * 31) % keys.length] ?? "";
        const body = JSON.stringify({ soul_id: id });
        return { path: "/api/like", write: { method: "POST", apiKey, body } };
      }),
    );
    const changes = publicIds.map((id, index): Write => {
      const apiKey = keys[accounts.indexOf(owners[index]?.user_id ?? "")] ?? "";
      const description = `Edited, soul ${id}: reads every line and answers in plain words.`;
      const content = `# Who you are\n\n${`Number ${index}, patient and brief. `.repeat(60)}`;
      const body = JSON.stringify({ description, content: content.slice(0, CONTENT_CHARS) });
      return { path: `/api/soul/${id}`, write: { method: "PUT", apiKey, body } };
    });
    return {
      likes,
      changes,
      /** @throws Error if the contenders' responses or the rows that they store differ */
      async compare([first, , , fourth]: Write[]): Promise<void> {
        if (!first || !fourth) throw new Error("There are no writes to compare.");
        const unknown = { ...first, write: { ...first.write, apiKey: createApiKey() } };
        const writes = [unknown, first, first, fourth];
        const stored = () => rowsOf(storedRows);
        await compareAnswers([reference, hub], writes, [401, 200, 200, 200], { reset, stored });
        await reset();
      },
      /** @throws Error if a like or a version is lost or counted twice */
      async checkTables(): Promise<void> {
        const wrong = await rowsOf(wrongCounts);
        assert.equal(wrong.length, 0, "likes or versions are lost or counted twice");
      },
    };
  });
