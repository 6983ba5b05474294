import { type Random, zipf } from "./random.ts";

// The words of each language follow Zipf's law: a few are frequent, most are rare.

export interface Language {
  /** Function words of running text, by descending frequency. */
  functionWords: string[];
  /** Words of titles and domains, by descending frequency. */
  names: string[];
  /** The separator between words; empty for Japanese. */
  space: string;
}

const words = (text: string) => text.split(" ");

const usualWords = words(
  "patient coach writer story teacher code friend helps reviewer guide garden chess travel music history science cook language doctor captain night dragon robot money health legal design data city planner quiet honest curious gentle stern old young green blue silver iron river mountain forest ocean island market kitchen library studio workshop school tower bridge lantern compass mirror clock puzzle riddle poem song dance sketch draft letter budget recipe lesson training sleep morning winter summer spring autumn star moon sun storm fire stone glass paper thread button engine signal network server query schema kernel compiler parser editor review proof theorem number graph matrix vector quantum cell gene planet comet orbit rocket sailor pilot baker farmer hunter healer judge mayor poet monk knight wizard witch ghost giant",
);

const onsets = words(
  "b br c ch cl d dr f fl g gr h j k l m n p pl qu r s sh sk st t th tr v w y z",
);
const vowels = words("a e i o u ai ea ie oo ou");
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

const namesFrom = (first: string[]) => [
  ...first,
  ...Array.from({ length: VOCABULARY - first.length }, (_, index) => madeUpWord(index * 31)),
];

export const english: Language = {
  // Titles use only `the` and `and` of the English function words.
  functionWords: words(
    "the and a to of you your in with for it is that who on as be when never by are not one asks from at then says or plain",
  ),
  names: namesFrom(usualWords),
  space: " ",
};

/**
 * A frequent Spanish and a frequent English word rarely occur in the same soul. Searches for such
 * pairs are measured too.
 */
export const spanish: Language = {
  functionWords: words(
    "de la que el en los se del las un por con una su para es al lo como más pero sus le ya este",
  ),
  names: namesFrom(
    words(
      "maestro paciente amigo poeta cuento código jardín viaje música historia ciencia cocina lengua médico capitán noche dragón dinero salud ciudad río montaña bosque isla mercado biblioteca escuela torre puente espejo reloj",
    ),
  ),
  space: " ",
};

const latin = "abcdefghijklmnopqrstuvwxyz";
const cyrillic = Array.from("абцдефгхийклмнопкрстувжшыз");

export const russian: Language = {
  functionWords: words("и в не на что он с как это по но из у за от так же для вы бы до"),
  names: english.names.map((name) =>
    Array.from(name, (letter) => cyrillic[latin.indexOf(letter)]).join(""),
  ),
  space: " ",
};

const ideographs = Array.from(
  "学数先生静猫犬山川花鳥風月本書歌詩旅海空森町村国語音楽料理医師船長夜竜金健康法設計都市話友達庭園歴史科",
);

export const japanese: Language = {
  functionWords: words("の に は を た が で て と し れ さ ある いる も する から な こと"),
  names: ideographs.flatMap((first) => ideographs.map((second) => first + second)),
  space: "",
};

/** Words that end some titles. */
const signed = words("C++ & C# 👻 R&D .NET TCP/IP 🤖 A/B snake_case v2.0 100%");

export const signedWord = (random: Random): string => signed[zipf(random, signed.length)] ?? "";

/** Returns a word of a title or a domain. */
export const nameWord = ({ names }: Language, random: Random): string =>
  names[zipf(random, names.length)] ?? "";

/** Returns a word of running text. Every third word is a function word. */
const textWord = (language: Language, random: Random): string =>
  random() < 0.34
    ? (language.functionWords[zipf(random, language.functionWords.length)] ?? "")
    : nameWord(language, random);

export const textOf = (language: Language, random: Random, words: number): string =>
  Array.from({ length: words }, () => textWord(language, random)).join(language.space);
