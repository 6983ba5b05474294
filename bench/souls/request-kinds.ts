import { runStatement } from "../runner/bench-database.ts";
import { english, japanese, type Language, russian, spanish } from "./soul-words.ts";

/** One row of the results: several requests of the same kind. */
export interface Kind {
  name: string;
  paths: string[];
}

const sorts = ["newest", "popular", "rating", "forks", "updated"];
const ask = (query: Record<string, string>) => `/api/souls?${new URLSearchParams(query)}`;
const searches = (
  name: string,
  texts: readonly string[],
  more: Record<string, string> = {},
): Kind => ({
  name: `q: ${name}`,
  paths: texts.map((q) => ask({ q, ...more })),
});
const named = (ranks: number[], { names }: Language = english) =>
  ranks.map((rank) => names[rank] ?? "");

// Words by their rank in frequency. The word of rank 0 is in half of all souls, that of rank 10 in
// a tenth.
const common = named([0, 1, 2, 3, 5, 7, 8, 11]);
const usual = named([25, 33, 40, 52, 60, 90, 110, 130]);
const uncommon = named([300, 400, 500, 650, 800, 1_200, 1_600, 2_000]);
const rare = named([8_000, 9_500, 11_000, 13_000, 15_000, 20_000, 23_000, 26_000]);
const halves = (texts: string[]) => texts.map((text) => text.slice(0, Math.ceil(text.length / 2)));
const pairs = (first: string[], second: string[], step = 1) =>
  first.map((word, at) => `${word} ${second[(at + step) % second.length]}`);
const stopWords = "the and a to of you it is that who not plain".split(" ");

/** @param url a database whose titles and roles also exist in the large one */
export async function kindsOf(url: string): Promise<{ orders: Kind[]; searches: Kind[] }> {
  const column = async (query: string) =>
    (await runStatement<{ text: string }>(query, url)).map(({ text }) => text);
  const titles = await column(
    "select title as text from souls where title like 'The %' order by id limit 8",
  );
  const [often = "", seldom = ""] = await column(
    `select text from (select role as text, row_number() over (order by count(*) desc, role) as place,
        count(*) over () as roles from souls where role <> 'Other' group by role) as ranked
      where place in (1, roles) order by place`,
  );
  return {
    orders: orders(often, seldom),
    searches: [...texts(titles), ...narrowed(often, seldom)],
  };
}

const orders = (often: string, seldom: string): Kind[] =>
  [
    { name: "a first page", query: {} },
    { name: "offset 10,000", query: { offset: "10000" } },
    { name: "offset 9,900, 100 souls", query: { offset: "9900", limit: "100" } },
    { name: `role=${often}`, query: { role: often } },
    { name: `role=${often}, offset 10,000`, query: { role: often, offset: "10000" } },
    { name: `role=${seldom}`, query: { role: seldom } },
    { name: `role=${seldom}, offset 10,000`, query: { role: seldom, offset: "10000" } },
  ].flatMap(({ name, query }) =>
    sorts.map(
      (sort): Kind => ({
        name: `sort=${sort}: ${name}`,
        paths: [ask({ sort, ...query })],
      }),
    ),
  );

const texts = (titles: string[]): Kind[] => [
  searches("rare word", rare),
  searches("uncommon word (0.1 to 0.5 %)", uncommon),
  searches("usual word (1 to 4 %)", usual),
  searches("common word (10 to 50 %)", common),
  searches("stop word of nearly all descriptions and few titles", stopWords),
  searches("half-typed usual word", halves(usual)),
  searches("half-typed rare word", halves(rare)),
  searches("two common words", pairs(common, common)),
  searches("three and more common words", [
    ...pairs(pairs(common, common), common, 2),
    "the patient coach of the story",
    "patient coach writer story teacher code",
  ]),
  searches("a common and a usual word", pairs(common, usual)),
  searches("a common and a rare word", pairs(common, rare)),
  searches("a rare and a common word", pairs(rare, common)),
  searches("a word and a stop word", pairs(usual, stopWords)),
  searches("frequent words that rarely occur together", [
    ...pairs(stopWords.slice(0, 5), spanish.functionWords),
    ...pairs(common.slice(0, 5), spanish.names),
    "the and que los",
    "coach maestro paciente",
  ]),
  searches("one letter", [..."pstabcmz"]),
  searches("two letters", ["pa", "co", "st", "ba", "zo", "th", "of", "qu"]),
  searches("three letters", ["pat", "coa", "sto", "bai", "zoo", "the", "oun", "cia"]),
  searches(
    "a word and the first letter of another",
    common.map((word, at) => `${word} ${"pstabcmz"[at]}`),
  ),
  searches("exact title", titles),
  searches("exact title of thousands of souls", common),
  searches(
    "words of a title in their order",
    titles.map((title) => title.split(" ").slice(1).join(" ")),
  ),
  searches(
    "words of a title in reverse",
    titles.map((title) => title.split(" ").slice(1).reverse().join(" ")),
  ),
  searches("letters within a word", [
    ..."atien rdea ountai ibrar oach eacher ilver obo".split(" "),
  ]),
  searches("nothing found", ["xyzzyqq", "qqqqq wwwww", "👻👻👻", "the xyzzyqq", "xyzzyqq the"]),
  searches("signs", ["%", "c++", "'; --", "&", "<->", "👻", ".net", "100%", "?!"]),
  searches("words joined by signs", [
    ..."a_b a/b of-the patient/coach c++/c# snake_case tcp/ip the.coach".split(" "),
  ]),
  searches("Cyrillic", [...named([0, 5, 40, 500, 9_000], russian), "и", "не на", "пат"]),
  searches("Japanese", [...named([0, 5, 40, 500, 1_500], japanese), "の", "先生", "ねこ"]),
];

const narrowed = (often: string, seldom: string): Kind[] => [
  searches("common word, role", common, { role: often }),
  searches("usual word, seldom role", usual, { role: seldom }),
  searches("stop word, seldom role", stopWords, { role: seldom }),
  ...sorts.map((sort) => {
    const kind = searches("", [...common, ...usual, ...stopWords], { sort });
    return { ...kind, name: `q: common, usual and stop words, ${sort}` };
  }),
  searches("common and usual words, offset 200", [...common, ...usual], { offset: "200" }),
  searches("common and usual words, offset 900", [...common, ...usual], { offset: "900" }),
  searches("common and usual words, offset 10,000", [...common, ...usual], { offset: "10000" }),
];
