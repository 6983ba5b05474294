import { hash } from "node:crypto";
import pg from "pg";
import type { z } from "zod";
import type { entry, soul } from "./soul-schemas.ts";

/**
 * The reads of the servers that the hub is compared with: hand-written, prepared, in the cheapest
 * known form. The responses are those of the hub.
 */

const entryColumns = `s.id, s.title, s.description, s.role, s.domain, s.compatibility, s.file_type,
  s.like_count, s.fork_count, s.created_at, a.username, s.rating_sum, s.rating_count`;

/** The number of a soul's present state, which counts snapshots of the first release (0037). */
export const presentNumber = `s.version + (select count(*)::int from soul_versions v
    where v.soul_id = s.id and v.number is null)`;

const soulById = {
  name: "read-soul",
  text: `select ${entryColumns}, s.user_id, s.content, s.is_public, s.forked_from,
    s.nft_contract, ${presentNumber} as version, s.version_note, s.signature,
    s.package_id is not null as has_package, s.updated_at
    from souls s join accounts a on a.id = s.user_id where s.id = $1`,
};

/**
 * The list of souls is one query. It limits the page before it joins the owners, and counts `total`
 * in a cross join.
 */
const newestSouls = {
  name: "list-souls",
  text: `select ${entryColumns}, counted.total
    from (select id from souls where is_public = 1 order by id desc limit $1 offset $2) page
    join souls s on s.id = page.id and s.is_listed join accounts a on a.id = s.user_id
    cross join (select count(*) as total
      from (select 1 from souls where is_public = 1 limit 10100) matching) counted
    order by s.id desc`,
};

type Computed = "avg_rating" | "total_ratings" | "content_hidden" | "digest" | "content_sha256";
type Ratings = { rating_sum: number; rating_count: number };
type EntryRow = Omit<z.infer<typeof entry>, Computed> & Ratings;
type SoulRow = Omit<z.infer<typeof soul>, Computed> & Ratings;

function toEntry<Row extends EntryRow>({ rating_sum, rating_count, ...row }: Row) {
  const mean = rating_count === 0 ? 0 : rating_sum / rating_count;
  const avg_rating = Math.round(mean * 100) / 100;
  return {
    ...row,
    created_at: row.created_at.slice(0, 19),
    avg_rating,
    total_ratings: rating_count,
  };
}

const toSoul = (row: SoulRow) => ({
  ...toEntry(row),
  updated_at: row.updated_at.slice(0, 19),
  // `content_hidden` is constant, because no measured soul has an NFT gate.
  content_hidden: false,
  digest: digestOf(row),
  content_sha256: hash("sha256", row.content),
});

/** The digest of a soul's present state: the SHA-256 of its manifest in canonical JSON (0036). */
function digestOf({ title, description, content, file_type }: SoulRow): string {
  const files: Record<string, string> =
    file_type === "single_md" ? { "SOUL.md": content } : JSON.parse(content);
  const members = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => [name, `sha256:${hash("sha256", text)}`]);
  const manifest = { description, files: Object.fromEntries(members), title };
  return `sha256:${hash("sha256", JSON.stringify({ ...manifest, type: "soulhub-version/1" }))}`;
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(TIMESTAMPTZ, (text) => text);

/** As many connections as the hub has. More did not make a server faster. */
export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  options: "-c timezone=UTC",
  types,
});

/** Returns null for a missing or private soul, since every caller is a guest. */
export async function readSoul(id: number) {
  const { rows } = await pool.query<SoulRow>({ ...soulById, values: [id] });
  const [row] = rows;
  return row && row.is_public === 1 ? { success: true as const, data: toSoul(row) } : null;
}

export async function listSouls(limit: number, offset: number) {
  const { rows } = await pool.query<EntryRow & { total: number }>({
    ...newestSouls,
    values: [limit, offset],
  });
  const total = rows[0]?.total ?? 0;
  const data = rows.map(({ total: _, ...row }) => toEntry(row));
  const has_more = offset + data.length < total;
  return { success: true as const, count: data.length, total, has_more, data };
}
