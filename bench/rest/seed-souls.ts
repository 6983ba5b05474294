import pg from "pg";

const PRIVATE_SOULS = 20;
const ACCOUNTS = 200;
/** One soul in FOLDER_EVERY is a folder soul. */
const FOLDER_EVERY = 8;

export interface SeededSouls {
  publicIds: number[];
  privateIds: number[];
}

/** Fills a migrated database with public souls of typical size, and a few private ones. */
export async function seedSouls(url: string, publicCount: number): Promise<SeededSouls> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(
      `insert into accounts (username, username_key)
        select 'author' || n, 'author' || n from generate_series(1, $1::int) n`,
      [ACCOUNTS],
    );
    const souls = Array.from({ length: publicCount + PRIVATE_SOULS }, (_, index) => ({
      ...soul(index),
      is_public: index < publicCount ? 1 : 0,
    }));
    await client.query(
      `insert into souls (user_id, title, description, content, file_type, role, domain, is_public,
          like_count, fork_count, rating_sum, rating_count)
        select (select min(id) from accounts) + author, title, description, content, file_type, role,
          domain, is_public, like_count, fork_count, rating_sum, rating_count
        from json_to_recordset($1) as given (author int, title text, description text, content text,
          file_type text, role text, domain text, is_public int, like_count int, fork_count int,
          rating_sum int, rating_count int)`,
      [JSON.stringify(souls)],
    );
    await client.query("vacuum analyze souls, accounts");
    const ids = async (isPublic: 0 | 1) => {
      const { rows } = await client.query<{ id: string }>(
        "select id from souls where is_public = $1 order by id",
        [isPublic],
      );
      return rows.map(({ id }) => Number(id));
    };
    return { publicIds: await ids(1), privateIds: await ids(0) };
  } finally {
    await client.end();
  }
}

const words =
  "patient reviewer reads every line asks what the reader needs first then answers in plain words with one example never guesses says so when unsure keeps the tone warm and brief “quoted” café naïve – curious".split(
    " ",
  );
const roles = ["Coding", "Writing", "Other", "Education"];

/**
 * Returns the soul with the given index. It is the same in every run, so that runs are comparable.
 */
function soul(index: number) {
  const isFolder = index % FOLDER_EVERY === 0;
  const chars = 1_000 + ((index * 7_919) % 2_000);
  const ratings = index % 30;
  return {
    author: index % ACCOUNTS,
    title: `The ${words[index % words.length]} ${words[(index * 7) % words.length]} no. ${index}`,
    description: prose(index, 120),
    content: isFolder ? folder(index, chars) : markdown(index, chars),
    file_type: isFolder ? "full_soul_folder" : "single_md",
    role: roles[index % roles.length],
    domain: `domain ${index % 50}`,
    like_count: (index * 37) % 500,
    fork_count: (index * 11) % 40,
    rating_sum: ratings * 4 + (index % 5 > ratings ? 0 : index % 5),
    rating_count: ratings,
  };
}

function prose(seed: number, chars: number): string {
  let text = "";
  for (let at = seed; text.length < chars; at++) {
    text += `${words[(at * 13 + seed) % words.length]}${at % 11 === 10 ? ".\n" : " "}`;
  }
  return text.trim();
}

const markdown = (seed: number, chars: number) =>
  `# Who you are\n\n${prose(seed, chars / 2)}\n\n## Rules\n\n- ${prose(seed + 3, chars / 4)}\n- **Always**: ${prose(seed + 5, chars / 4)}\n`;

const folder = (seed: number, chars: number) =>
  JSON.stringify({
    "SOUL.md": markdown(seed, chars / 2),
    "STYLE.md": markdown(seed + 1, chars / 4),
    "RULES.md": markdown(seed + 2, chars / 4),
  });
