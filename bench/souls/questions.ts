import type pg from "pg";
import { nameOfRank } from "./soul-words.ts";

/** What one row of the table asks, in a few ways, so that no single answer is measured. */
export interface Kind {
  name: string;
  paths: string[];
}

const sorts = ["newest", "popular", "rating", "forks", "updated"];
const ask = (query: Record<string, string>) => `/api/souls?${new URLSearchParams(query)}`;
const searches = (texts: string[], more: Record<string, string> = {}) =>
  texts.map((q) => ask({ q, ...more }));

// By their rank among the words: the first is in half of all souls, the tenth in a tenth.
const common = [0, 1, 2, 5, 8].map(nameOfRank);
const usual = [25, 40, 60, 90, 130].map(nameOfRank);
const uncommon = [300, 500, 800, 1_200, 2_000].map(nameOfRank);
const rare = [8_000, 11_000, 15_000, 20_000, 26_000].map(nameOfRank);

/** Asks one database for titles and roles that both have: the smaller one. */
export async function kindsOf(client: pg.Client): Promise<Kind[]> {
  const column = async (query: string) =>
    (await client.query<{ text: string }>(query)).rows.map(({ text }) => text);
  const titles = await column(
    "select title as text from souls where title like 'The %' order by id limit 5",
  );
  const [often = "", seldom = ""] = await column(
    `select text from (select role as text, row_number() over (order by count(*) desc) as place,
        count(*) over () as roles from souls where role <> 'Other' group by role) as ranked
      where place in (1, roles) order by place`,
  );
  const phrases = titles.map((title) => title.split(" ").slice(1).join(" "));
  return [
    ...sorts.map((sort) => ({ name: `sort=${sort}`, paths: [ask({ sort })] })),
    ...sorts.map((sort) => ({
      name: `sort=${sort}, offset 10,000`,
      paths: [ask({ sort, offset: "10000" })],
    })),
    ...[often, seldom].flatMap((role) => [
      ...["newest", "popular"].map((sort) => ({
        name: `role=${role}, ${sort}`,
        paths: [ask({ role, sort })],
      })),
      {
        name: `role=${role}, popular, offset 10,000`,
        paths: [ask({ role, sort: "popular", offset: "10000" })],
      },
    ]),
    { name: "q: rare word", paths: searches(rare) },
    { name: "q: uncommon word (0.1 to 0.5 %)", paths: searches(uncommon) },
    { name: "q: usual word (1 to 4 %)", paths: searches(usual) },
    { name: "q: common word (10 to 50 %)", paths: searches(common) },
    { name: "q: a word of every text", paths: searches(["the", "and", "a", "to", "of"]) },
    { name: "q: two common words", paths: searches(pairs(common, common)) },
    { name: "q: a common and a usual word", paths: searches(pairs(common, usual)) },
    { name: "q: a common and a rare word", paths: searches(pairs(common, rare)) },
    { name: "q: one letter", paths: searches(["p", "s", "t", "b", "a"]) },
    { name: "q: two letters", paths: searches(["pa", "co", "st", "ba", "zo"]) },
    { name: "q: three letters", paths: searches(["pat", "coa", "sto", "bai", "zoo"]) },
    { name: "q: exact title", paths: searches(titles) },
    { name: "q: exact title that thousands have", paths: searches([nameOfRank(0), nameOfRank(1)]) },
    { name: "q: words of a title in their order", paths: searches(phrases) },
    { name: "q: letters within a word", paths: searches(["atien", "rdea", "ountai", "ibrar"]) },
    { name: "q: nothing found", paths: searches(["xyzzyqq", "qqqqq wwwww", "👻👻👻"]) },
    { name: "q: punctuation", paths: searches(["%", "c++", "'; --", "a_b", "<->"]) },
    { name: "q: common word, role", paths: searches(common, { role: often }) },
    { name: "q: usual word, seldom role", paths: searches(usual, { role: seldom }) },
    ...sorts.map((sort) => ({
      name: `q: common and usual words, ${sort}`,
      paths: searches([...common, ...usual], { sort }),
    })),
    {
      name: "q: common and usual words, offset 10,000",
      paths: searches([...common, ...usual], { offset: "10000" }),
    },
  ];
}

const pairs = (first: string[], second: string[]) =>
  first.map((word, at) => `${word} ${second[(at + 1) % second.length]}`);
