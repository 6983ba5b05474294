import pg from "pg";

/**
 * The SQL queries of the servers that the hub is compared with: hand-written, prepared, in the
 * cheapest known form.
 */

const entryColumns = `s.id, s.title, s.description, s.role, s.domain, s.compatibility, s.file_type,
  s.like_count, s.fork_count, s.created_at, a.username, s.rating_sum, s.rating_count`;

const readSoul = {
  name: "read-soul",
  text: `select ${entryColumns}, s.user_id, s.content, s.is_public, s.forked_from,
    s.nft_contract, s.updated_at
    from souls s join accounts a on a.id = s.user_id where s.id = $1`,
};

/**
 * The list of souls is one query. It limits the page before it joins the owners, and counts `total`
 * in a cross join.
 */
const listSouls = {
  name: "list-souls",
  text: `select ${entryColumns}, counted.total
    from (select id from souls where is_public = 1 order by id desc limit $1 offset $2) page
    join souls s on s.id = page.id join accounts a on a.id = s.user_id
    cross join (select count(*) as total
      from (select 1 from souls where is_public = 1 limit 10100) matching) counted
    order by s.id desc`,
};

interface EntryRow {
  id: number;
  title: string;
  description: string;
  role: string;
  domain: string;
  compatibility: string;
  file_type: "single_md" | "full_soul_folder";
  like_count: number;
  fork_count: number;
  created_at: string;
  username: string;
  rating_sum: number;
  rating_count: number;
}

interface SoulRow extends EntryRow {
  user_id: number;
  content: string;
  is_public: number;
  forked_from: number | null;
  nft_contract: string | null;
  updated_at: string;
}

const averageRating = ({ rating_sum, rating_count }: EntryRow) =>
  rating_count === 0 ? 0 : Math.round((rating_sum / rating_count) * 100) / 100;

const toEntry = (row: EntryRow) => ({
  id: row.id,
  title: row.title,
  description: row.description,
  role: row.role,
  domain: row.domain,
  compatibility: row.compatibility,
  file_type: row.file_type,
  like_count: row.like_count,
  fork_count: row.fork_count,
  created_at: row.created_at.slice(0, 19),
  username: row.username,
  avg_rating: averageRating(row),
  total_ratings: row.rating_count,
});

const toSoul = (row: SoulRow) => ({
  id: row.id,
  user_id: row.user_id,
  title: row.title,
  description: row.description,
  content: row.content,
  // `content_hidden` is constant, because no measured soul has an NFT gate.
  content_hidden: false,
  file_type: row.file_type,
  role: row.role,
  domain: row.domain,
  compatibility: row.compatibility,
  is_public: row.is_public,
  like_count: row.like_count,
  fork_count: row.fork_count,
  created_at: row.created_at.slice(0, 19),
  username: row.username,
  avg_rating: averageRating(row),
  total_ratings: row.rating_count,
  forked_from: row.forked_from,
  nft_contract: row.nft_contract,
  updated_at: row.updated_at.slice(0, 19),
});

const INT8 = 20;
const TIMESTAMPTZ = 1184;

export function connectSouls(url: string, poolSize: number) {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  types.setTypeParser(TIMESTAMPTZ, (text) => text);
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    options: "-c timezone=UTC",
    types,
  });
  return {
    /** Returns null for a missing or private soul, since every caller is a guest. */
    async read(id: number) {
      const { rows } = await pool.query<SoulRow>({ ...readSoul, values: [id] });
      const [row] = rows;
      return row && row.is_public === 1 ? { success: true as const, data: toSoul(row) } : null;
    },
    async list(limit: number, offset: number) {
      const { rows } = await pool.query<EntryRow & { total: number }>({
        ...listSouls,
        values: [limit, offset],
      });
      const data = rows.map(toEntry);
      const total = rows[0]?.total ?? 0;
      const has_more = offset + data.length < total;
      return { success: true as const, count: data.length, total, has_more, data };
    },
  };
}
