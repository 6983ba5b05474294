import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { rawZip } from "../zip/raw-zip.fixture.ts";
import { type PngChunk, plainPicture, toTextChunk, writePng } from "./png.ts";

const word = fc.constantFrom("Orla", "keeps 🦊", "\r\nthe light", "{{char}} nods", "", "  ");
/** JSON values that no program of ours knows, with numbers that JSON.parse would change. */
const unknown = fc.constantFrom(
  "12345678901234567890",
  "1e400",
  "-0",
  '{"a":{"b":[1,null]}}',
  '"\\u00e9"',
);

interface CardParts {
  version: 2 | 3;
  name: string;
  fields: Record<string, string>;
  unknown: string;
  entries: number;
  /** Whether the lorebook's entries are an object keyed by uid. */
  isKeyed: boolean;
  isReversed: boolean;
  spaces: string;
}

const parts: fc.Arbitrary<CardParts> = fc.record({
  version: fc.constantFrom(2, 3),
  name: fc.constantFrom("Orla", "Ørla", "", "Orla\r\nVale"),
  fields: fc.record({
    description: fc.constantFrom("You keep the light.", "\ufeffx"),
    personality: word,
    scenario: word,
    first_mes: word,
    mes_example: word,
    creator_notes: word,
    system_prompt: word,
    post_history_instructions: word,
  }),
  unknown,
  entries: fc.constantFrom(0, 1, 400),
  isKeyed: fc.boolean(),
  isReversed: fc.boolean(),
  spaces: fc.constantFrom("", " ", "\r\n\t"),
});

/** Writes a card by hand, so that its characters are not those of JSON.stringify. */
function cardText({
  version,
  name,
  fields,
  unknown: value,
  entries,
  isKeyed,
  isReversed,
  spaces,
}: CardParts) {
  const book = Array.from({ length: entries }, (_, at) => {
    const isOff = at % 7 === 0;
    const order = entries - at;
    const entry = JSON.stringify({
      ...(isKeyed ? { uid: at, key: [`key ${at}`] } : { keys: [`key ${at}`] }),
      content: at % 3 === 0 ? `@@depth 4\nEntry ${at}.` : `Entry ${at}. ${"x".repeat(100)}`,
      ...(isKeyed ? { disable: isOff, order } : { enabled: !isOff, insertion_order: order }),
      constant: at % 50 === 0,
      extensions: { position: at },
    });
    return isKeyed ? `"${at}":${spaces}${entry}` : entry;
  }).join(`,${spaces}`);
  const members = [
    `"name":${spaces}${JSON.stringify(name)}`,
    ...Object.entries(fields).map(
      ([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`,
    ),
    '"alternate_greetings":["Hm?","\\ud83e\\udd8a"]',
    `"extensions":{"app/x":${value},"__proto__":{"polluted":true}}`,
    `"unknown_field":${value}`,
    ...(entries > 0
      ? [
          `"character_book":{"name":"Lore","entries":${isKeyed ? `{${book}}` : `[${book}]`},"x":${value}}`,
        ]
      : []),
  ];
  const data = (isReversed ? members.toReversed() : members).join(`,${spaces}`);
  return `{${spaces}"spec":"chara_card_v${version}","spec_version":"${version}.0","data":{${data}${spaces}},"top":${value}}${spaces}`;
}

/** A card as a JSON file of a foreign program. */
export const foreignCard = parts.map((given) => ({
  version: given.version,
  text: cardText(given),
}));

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");

const inLines = (text: string) => text.replaceAll(/.{76}/g, "$&\r\n");
const latin1 = (text: string) => Buffer.from(text, "latin1");

/** The forms in which programs write a card's text into a picture. */
export const cardChunks: Readonly<Record<string, (keyword: string, text: string) => PngChunk>> = {
  tEXt: (keyword, text) => toTextChunk(keyword, base64(text)),
  "tEXt in lines": (keyword, text) => toTextChunk(keyword, inLines(base64(text))),
  "tEXt with a keyword in capitals": (keyword, text) =>
    toTextChunk(keyword.toUpperCase(), base64(text)),
  zTXt: (keyword, text) => ({
    type: "zTXt",
    data: Buffer.concat([latin1(`${keyword}\0\0`), deflateSync(base64(text))]),
  }),
  "iTXt, plain": (keyword, text) => ({
    type: "iTXt",
    data: latin1(`${keyword}\0\0\0en\0card\0${base64(text)}`),
  }),
  "iTXt, compressed": (keyword, text) => ({
    type: "iTXt",
    data: Buffer.concat([latin1(`${keyword}\0\u0001\0\0\0`), deflateSync(base64(text))]),
  }),
};

/** A picture of a foreign program, with its card in one or two chunks. */
export const foreignPicture = fc
  .record({
    card: parts,
    hasBoth: fc.boolean(),
    isLast: fc.boolean(),
    toChunk: fc.constantFrom(...Object.values(cardChunks)),
  })
  .map(({ card, hasBoth, isLast, toChunk }) => {
    const [header, data, end] = plainPicture();
    if (!header || !data || !end) throw new Error("The picture has three chunks.");
    const own = toChunk(card.version === 3 ? "ccv3" : "chara", cardText(card));
    const other = toChunk("chara", cardText({ ...card, version: 2 }));
    const cards = hasBoth && card.version === 3 ? [other, own] : [own];
    const extra = [
      toTextChunk("Software", "Painter"),
      { type: "prVt", data: Buffer.from("secret") },
    ];
    const body = isLast ? [data, ...cards, ...extra] : [...extra, ...cards, data];
    return writePng([header, ...body, end]);
  });

/** A CHARX file of a foreign program, with a folder and assets. */
export const foreignCharx = fc
  .record({ card: parts, hasFolder: fc.boolean(), isLast: fc.boolean() })
  .map(({ card, hasFolder, isLast }) => {
    const text = { path: "card.json", content: cardText({ ...card, version: 3 }) };
    const assets = [
      ...(hasFolder ? [{ path: "assets/", method: 0 }] : []),
      { path: "assets/icon/images/main.png", content: Buffer.from([0x89, 0, 0xff]) },
      { path: "module.risum", content: "\r\n" },
    ];
    return rawZip(isLast ? [...assets, text] : [text, ...assets]);
  });
