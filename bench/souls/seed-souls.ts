import pg from "pg";
import { inLanes } from "../runner/lanes.ts";
import { type Random, randomFrom, zipf } from "./random.ts";
import {
  english,
  japanese,
  type Language,
  nameWord,
  russian,
  signedWord,
  spanish,
  textOf,
} from "./soul-words.ts";

const ACCOUNTS = 5_000;
const SOULS_PER_ACCOUNT = 5;
const BATCH = 5_000;
/** The number of connections that insert concurrently. */
const WRITERS = 2;
const DAYS = 700;

/**
 * Fills a migrated database with public souls; the same count gives the same souls. Indexes are
 * dropped and built again at the end: inserting through ten indexes takes four times as long.
 */
export async function seedSouls(url: string, count: number, roles: string[]): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    max: WRITERS,
    options: "-c synchronous_commit=off -c maintenance_work_mem=512MB",
  });
  try {
    await pool.query(
      `insert into accounts (username, username_key)
        select 'author' || n, 'author' || n from generate_series(1, $1::int) n`,
      [accountsFor(count)],
    );
    const { rows: indexes } = await pool.query<{ indexname: string; indexdef: string }>(
      `select indexname, indexdef from pg_indexes
        where tablename = 'souls' and indexname <> 'souls_pkey'`,
    );
    for (const { indexname } of indexes) await pool.query(`drop index ${indexname}`);
    await pool.query("alter table souls disable trigger user");
    const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => at * BATCH);
    await inLanes(WRITERS, starts, (start) => {
      const length = Math.min(BATCH, count - start);
      const souls = Array.from({ length }, (_, at) => soul(start + at, count, roles));
      return pool.query(insertSouls, [JSON.stringify(souls)]);
    });
    await inLanes(WRITERS, indexes, ({ indexdef }) => pool.query(indexdef));
    await pool.query("alter table souls enable trigger user");
    await pool.query(insertTerms);
    await pool.query("select setval('souls_id_seq', (select max(id) from souls))");
    await pool.query("vacuum analyze souls, accounts");
  } finally {
    await pool.end();
  }
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
  from json_to_recordset($1) as given (id int, author int, title text, description text, role text,
    domain text, likes int, forks int, stars int, ratings int, created float8, updated float8)`;

/** The triggers do so for each soul. The first souls contain nearly all words. */
const insertTerms = `insert into soul_terms
  select word from ts_stat($$ select to_tsvector('simple',
      hub_normalize_words(concat_ws(' ', title, domain, role, left(description, 300))))
    from souls where id <= 100000 $$)
  where word ~ '^[[:alpha:]]{4,40}$'`;

const accountsFor = (souls: number) => Math.min(ACCOUNTS, Math.ceil(souls / SOULS_PER_ACCOUNT));
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

function soul(index: number, count: number, roles: string[]) {
  const random = randomFrom(index);
  const language = languageOf(random);
  const title = titleOf(language, random);
  const description = textOf(language, random, 6 + Math.floor(random() * 14));
  const role = random() < 0.2 ? "Other" : (roles[zipf(random, roles.length)] ?? "Other");
  const ratings = skewed(random, 0.5);
  const age = index / Math.max(count, 1);
  return {
    id: index + 1,
    author: Math.floor(random() * accountsFor(count)),
    title,
    description: `${capital(description)}.`,
    role,
    domain: random() < 0.15 ? "" : nameWord(language, random),
    likes: skewed(random, 0.8),
    forks: skewed(random, 0.4),
    stars: Math.round(ratings * (3 + random() * 2)),
    ratings,
    created: age * DAYS * 86_400 * 0.99,
    updated: (age + (1 - age) * random() ** 4) * DAYS * 86_400 * 0.99,
  };
}
