import { hash } from "node:crypto";
import type pg from "pg";
import { pool, presentNumber } from "./soul-sql.ts";

/** The hub's like and update of a soul, as transactions of prepared statements without an ORM. */

const findAccount = {
  name: "find-account",
  text: `select id, username, tier, coalesce(pass_expires_at > hub_now(), true) as pass_runs,
      case when coalesce((suspension ->> 'until')::timestamptz > hub_now(), true)
        then suspension end as suspension
    from accounts where api_key_hash = $1 and deletes_at is null`,
};
const lockSoul = {
  name: "lock-soul",
  text: `select s.id, s.user_id, s.title, s.is_public, ${presentNumber} as version,
      exists (select from blocks where blocker_id = s.user_id and blocked_id = $2) as is_blocked
    from souls s where s.id = $1 for update`,
};
const toggle = {
  name: "toggle-like",
  text: `with removed as (delete from likes where soul_id = $1 and user_id = $2 returning 1),
    added as (insert into likes (soul_id, user_id) select $1::bigint, $2::bigint
      where not exists (select from removed) returning 1)
    update souls set like_count = like_count
      + (select count(*) from added)::int - (select count(*) from removed)::int
    where id = $1 returning exists (select from added) as liked`,
};
const snapshot = {
  name: "snapshot",
  text: `insert into soul_versions (soul_id, number, note, signature, title, description, content,
      role, domain, compatibility, is_public, nft_contract, package_id)
    select id, version, version_note, signature, title, description, content, role, domain,
      compatibility, is_public, nft_contract, package_id from souls where id = $1`,
};
const change = {
  name: "change-soul",
  text: `update souls set version = $5, version_note = null, signature = null,
      description = $2, content = $3, file_type = $4, updated_at = hub_now() where id = $1`,
};

export type Outcome = { status: number; body: object };
const refused = (status: number): Outcome => ({ status, body: { success: false } });

/** Runs a transaction of the account with the API key. */
async function transact(
  authorization: string | undefined,
  work: (client: pg.PoolClient, account: number) => Promise<Outcome>,
): Promise<Outcome> {
  const key = hash("sha256", authorization?.slice("Bearer ".length) ?? "", "base64url");
  const { rows } = await pool.query({ ...findAccount, values: [key] });
  const [account] = rows;
  if (!account || account.suspension) return refused(401);
  const client = await pool.connect();
  try {
    await client.query("begin");
    const outcome = await work(client, account.id);
    await client.query("commit");
    return outcome;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

interface LockedSoul {
  user_id: number;
  title: string;
  is_public: number;
  version: number;
  is_blocked: boolean;
}

async function lock(client: pg.PoolClient, id: number, account: number) {
  const { rows } = await client.query<LockedSoul>({ ...lockSoul, values: [id, account] });
  return rows[0];
}

export const toggleLike = (
  authorization: string | undefined,
  { soul_id: id }: { soul_id: number },
) =>
  transact(authorization, async (client, account) => {
    const soul = await lock(client, id, account);
    if (!soul || (soul.is_public !== 1 && soul.user_id !== account)) return refused(404);
    if (soul.is_blocked) return refused(403);
    const { rows } = await client.query({ ...toggle, values: [id, account] });
    const liked = rows[0].liked as boolean;
    const message = `You ${liked ? "like" : "no longer like"} “${soul.title}”.`;
    return { status: 200, body: { success: true, liked, message } };
  });

export const changeSoul = (
  authorization: string | undefined,
  id: number,
  { description, content }: { description: string; content: string },
) =>
  transact(authorization, async (client, account) => {
    const soul = await lock(client, id, account);
    if (soul?.user_id !== account) return refused(404);
    const version = soul.version + 1;
    await client.query({ ...snapshot, values: [id] });
    await client.query({ ...change, values: [id, description, content, "single_md", version] });
    const message = "The soul is saved. Its previous state is in the history.";
    return { status: 200, body: { success: true, message, version } };
  });
