import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

const WORDS = 30_000;

/** SQL for a made-up word of eight letters. */
const word = (n: string) => `translate(left(md5((${n})::text), 8), '0123456789', 'ghijklmnop')`;

interface MadeUp {
  souls: number;
  /** Names the model, whose vectors have 256 components. */
  key: string;
  /** Without it, vectors belong to no soul. */
  hasTexts: boolean;
}

/** Fills a database with souls and vectors, as after the upkeep of the search. */
export async function makeUpVectors(db: Db, { souls, key, hasTexts }: MadeUp): Promise<void> {
  const texts = [
    "insert into accounts (username, username_key) values ('author', 'author')",
    "alter table souls disable trigger user",
    `insert into souls (user_id, title, description, content, file_type, role)
      select (select min(id) from accounts), ${word(`n % ${WORDS}`)},
        ${word(`n * 7 % ${WORDS}`)} || ' ' || ${word(`n * 31 % ${WORDS}`)}, 'text', 'single_md',
        'Other' from generate_series(1, ${souls}) n`,
    "alter table souls enable trigger user",
    `insert into soul_terms select distinct ${word("n")} from generate_series(1, ${WORDS}) n`,
    "analyze souls",
  ];
  const noTexts = ["alter table soul_vectors drop constraint soul_vectors_soul_id_foreign"];
  for (const statement of [
    ...(hasTexts ? texts : noTexts),
    `insert into soul_vectors (soul_id, model, priority, bits, vector)
      select n, '${key}', 0, ('x' || md5(n::text) || md5((-n)::text))::bit(256),
        decode(repeat(md5(n::text), 16), 'hex') from generate_series(1, ${souls}) n`,
    "analyze soul_vectors",
    `update vector_model set model = '${key}', filled_to = ${souls}`,
  ]) {
    await sql.raw(statement).execute(db);
  }
}
