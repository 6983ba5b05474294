import { createHash } from "node:crypto";
import pg from "pg";
import { presentNumber } from "./soul-sql.ts";

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

export function connectWrites(url: string, poolSize: number) {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, options: "-c timezone=UTC" });

  const accountOf = async (authorization = ""): Promise<string | undefined> => {
    const key = createHash("sha256").update(authorization.slice(7)).digest("base64url");
    const { rows } = await pool.query({ ...findAccount, values: [key] });
    return rows[0]?.suspension ? undefined : rows[0]?.id;
  };
  const transaction = async (work: (client: pg.PoolClient) => Promise<Outcome>) => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      const outcome = await work(client);
      await client.query("commit");
      return outcome;
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  };
  const lock = async (client: pg.PoolClient, id: number, account: string) => {
    const { rows } = await client.query<{
      user_id: string;
      title: string;
      is_public: number;
      version: number;
      is_blocked: boolean;
    }>({ ...lockSoul, values: [id, account] });
    return rows[0];
  };

  return {
    async like(authorization: string | undefined, { soul_id: id }: { soul_id: number }) {
      const account = await accountOf(authorization);
      if (!account) return refused(401);
      return transaction(async (client) => {
        const soul = await lock(client, id, account);
        if (!soul || (soul.is_public !== 1 && soul.user_id !== account)) return refused(404);
        if (soul.is_blocked) return refused(403);
        const { rows } = await client.query({ ...toggle, values: [id, account] });
        const liked = rows[0].liked as boolean;
        const message = `You ${liked ? "like" : "no longer like"} “${soul.title}”.`;
        return { status: 200, body: { success: true, liked, message } };
      });
    },
    async change(
      authorization: string | undefined,
      id: number,
      fields: { description: string; content: string },
    ) {
      const account = await accountOf(authorization);
      if (!account) return refused(401);
      return transaction(async (client) => {
        const soul = await lock(client, id, account);
        if (soul?.user_id !== account) return refused(404);
        const version = soul.version + 1;
        await client.query({ ...snapshot, values: [id] });
        const values = [id, fields.description, fields.content, "single_md", version];
        await client.query({ ...change, values });
        const message = "The soul is saved. Its previous state is in the history.";
        return { status: 200, body: { success: true, message, version } };
      });
    },
  };
}
