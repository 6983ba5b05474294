/** Words as people use them: a few are everywhere, most are rare (Zipf), always the same for the same seed. */

/** In every text; none stands in a title. */
const functionWords =
  "the and a to of you your in with for it is that who on as be when never by are not one asks from at then says or plain".split(
    " ",
  );

/** The most used ones come first. */
const usualWords =
  "patient coach writer story teacher code friend helps reviewer guide garden chess travel music history science cook language doctor captain night dragon robot money health legal design data city planner quiet honest curious gentle stern old young green blue silver iron river mountain forest ocean island market kitchen library studio workshop school tower bridge lantern compass mirror clock puzzle riddle poem song dance sketch draft letter budget recipe lesson training sleep morning winter summer spring autumn star moon sun storm fire stone glass paper thread button engine signal network server query schema kernel compiler parser editor review proof theorem number graph matrix vector quantum cell gene planet comet orbit rocket sailor pilot baker farmer hunter healer judge mayor poet monk knight wizard witch ghost giant".split(
    " ",
  );

const onsets = "b br c ch cl d dr f fl g gr h j k l m n p pl qu r s sh sk st t th tr v w y z".split(
  " ",
);
const vowels = "a e i o u ai ea ie oo ou".split(" ");
const endings = ["", "n", "r", "s", "l", "t", "nd", "rk", "m", "x"];

const VOCABULARY = 30_000;

function madeUpWord(index: number): string {
  let rest = index;
  let word = "";
  for (let syllable = 0; syllable < 3; syllable++) {
    const pick = (from: string[]) => {
      const part = from[rest % from.length] ?? "";
      rest = Math.floor(rest / from.length) + index * 7;
      return part;
    };
    word += pick(onsets) + pick(vowels) + (syllable === 2 ? pick(endings) : "");
  }
  return word;
}

const names = [
  ...usualWords,
  ...Array.from({ length: VOCABULARY - usualWords.length }, (_, index) => madeUpWord(index * 31)),
];

export type Random = () => number;

/** mulberry32: small, even enough, and the same everywhere. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The n-th most frequent is n times rarer than the first. */
export const zipf = (random: Random, size: number): number =>
  Math.floor((size + 1) ** random()) - 1;

/** The n-th most frequent word of titles and domains, from 0. */
export const nameOfRank = (rank: number): string => names[rank] ?? "";

/** Of a title, a domain. */
export const nameWord = (random: Random): string => names[zipf(random, names.length)] ?? "";

/** Of running text: every third is a function word. */
export const textWord = (random: Random): string =>
  random() < 0.34 ? (functionWords[zipf(random, functionWords.length)] ?? "") : nameWord(random);
