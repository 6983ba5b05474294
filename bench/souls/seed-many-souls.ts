import pg from "pg";
import { type Random, randomFrom, zipf } from "./random.ts";
import {
  english,
  japanese,
  type Language,
  nameWord,
  russian,
  signedWord,
  spanish,
  textWord,
} from "./soul-words.ts";

const ACCOUNTS = 5_000;
const BATCH = 5_000;
/** The number of connections that insert concurrently. */
const WRITERS = 2;
const DAYS = 700;

/**
 * Fills a migrated database with public souls; the same count gives the same souls. Indexes are
 * dropped and built again at the end: inserting through ten indexes takes four times as long.
 */
export async function seedManySouls(url: string, count: number, roles: string[]): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    max: WRITERS,
    options: "-c synchronous_commit=off -c maintenance_work_mem=512MB",
  });
  try {
    await pool.query(
      `insert into accounts (username, username_key)
        select 'author' || n, 'author' || n from generate_series(1, $1::int) n`,
      [ACCOUNTS],
    );
    const { rows: indexes } = await pool.query<{ indexname: string; indexdef: string }>(
      `select indexname, indexdef from pg_indexes
        where tablename = 'souls' and indexname <> 'souls_pkey'`,
    );
    for (const { indexname } of indexes) await pool.query(`drop index ${indexname}`);
    const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => at * BATCH).values();
    await runConcurrently(starts, (start) =>
      pool.query(insertSouls, columnsOf(start, Math.min(count, start + BATCH), count, roles)),
    );
    await runConcurrently(indexes.values(), ({ indexdef }) => pool.query(indexdef));
    await pool.query("select setval('souls_id_seq', (select max(id) from souls))");
    await pool.query("vacuum analyze souls, accounts");
  } finally {
    await pool.end();
  }
}

/** Processes all items, at most WRITERS of them concurrently. */
async function runConcurrently<T>(
  work: Iterator<T> & Iterable<T>,
  run: (item: T) => Promise<unknown>,
) {
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (const item of work) await run(item);
    }),
  );
}

/**
 * The id of a soul follows from its index, so concurrent writers create the same table in any
 * order.
 */
const insertSouls = `insert into souls (id, user_id, title, description, content, file_type, role,
    domain, like_count, fork_count, rating_sum, rating_count, created_at, updated_at)
  select id, (select min(id) from accounts) + author, title, description,
    '# ' || title || E'\\n\\n' || description, 'single_md', role, domain, likes, forks, stars, ratings,
    now() - make_interval(days => ${DAYS}) + make_interval(secs => created),
    now() - make_interval(days => ${DAYS}) + make_interval(secs => updated)
  from unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[],
    $8::int[], $9::int[], $10::int[], $11::float8[], $12::float8[])
    as given (id, author, title, description, role, domain, likes, forks, stars, ratings, created, updated)`;

function columnsOf(start: number, end: number, count: number, roles: string[]): unknown[][] {
  const rows = Array.from({ length: end - start }, (_, at) => soul(start + at, count, roles));
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
/** Returns a count by a power law: 0 for most souls, very large for a few. */
const skewed = (random: Random, power: number) => Math.floor((1 - random()) ** -power) - 1;

/** Returns a language: 80 % English, 10 % Spanish, 5 % Russian, 5 % Japanese. */
function languageOf(random: Random): Language {
  const share = random();
  return share < 0.8 ? english : share < 0.9 ? spanish : share < 0.95 ? russian : japanese;
}

function titleOf(language: Language, random: Random): string {
  const name = () => capital(nameWord(language, random));
  const kind = random();
  const names = kind < 0.1 ? [name()] : kind < 0.65 ? [name(), name()] : [name(), name(), name()];
  if (language === english && kind > 0.1 && kind < 0.6) names.unshift("The");
  if (language === english && kind > 0.95) names.splice(1, 0, "and");
  if (random() < 0.04) names.push(signedWord(random));
  return names.join(language.space);
}

function soul(index: number, count: number, roles: string[]): unknown[] {
  const random = randomFrom(index);
  const language = languageOf(random);
  const title = titleOf(language, random);
  const description = Array.from({ length: 6 + Math.floor(random() * 14) }, () =>
    textWord(language, random),
  ).join(language.space);
  const role = random() < 0.2 ? "Other" : (roles[zipf(random, roles.length)] ?? "Other");
  const ratings = skewed(random, 0.5);
  const age = index / Math.max(count, 1);
  return [
    index + 1,
    Math.floor(random() * ACCOUNTS),
    title,
    `${capital(description)}.`,
    role,
    random() < 0.15 ? "" : nameWord(language, random),
    skewed(random, 0.8),
    skewed(random, 0.4),
    Math.round(ratings * (3 + random() * 2)),
    ratings,
    age * DAYS * 86_400 * 0.99,
    (age + (1 - age) * random() ** 4) * DAYS * 86_400 * 0.99,
  ];
}
