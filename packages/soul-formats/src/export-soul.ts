import { CARD_JSON, CARD_PNG, importedPicture, withCardTexts } from "./card/card-text.ts";
import { plainPicture, writePng } from "./card/png.ts";
import { writeCard, yields } from "./card/write-card.ts";
import { cursorRuleOf, markdownOf, skillOf } from "./markdown/soul-markdown.ts";
import { cardTextOf, cardTextsOfPackage } from "./read-soul-file.ts";
import type { ExportNames, SoulState } from "./soul-state.ts";
import { bytesOf, oneLine } from "./text.ts";
import { filesOfSoul } from "./zip/soul-zip.ts";
import { writeZip } from "./zip/write-zip.ts";

type Writer = (soul: SoulState, names: ExportNames) => Promise<Uint8Array> | Uint8Array;

interface ExportFormat {
  /** The extension of the file's name. */
  extension: string;
  mediaType: string;
  write: Writer;
}

const MARKDOWN = "text/markdown; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const markdown: ExportFormat = {
  extension: "md",
  mediaType: MARKDOWN,
  write: (soul) => bytesOf(markdownOf(soul)),
};
const card =
  (version: 2 | 3): Writer =>
  (soul, names) =>
    bytesOf(writeCard(soul, version, names, cardTextOf(soul.package)));

/** How a soul is written in each format. */
export const exportFormats = {
  zip: {
    extension: "zip",
    mediaType: "application/zip",
    write: (soul, names) => writeZip(filesOfSoul(soul, names)),
  },
  "card-png": { extension: "png", mediaType: "image/png", write: writeCardPicture },
  "card-json": { extension: "json", mediaType: JSON_TYPE, write: card(3) },
  "card-v2-json": { extension: "json", mediaType: JSON_TYPE, write: card(2) },
  charx: { extension: "charx", mediaType: "application/zip", write: writeCharx },
  "claude-md": markdown,
  "agents-md": markdown,
  "copilot-md": markdown,
  md: markdown,
  "skill-md": {
    extension: "md",
    mediaType: MARKDOWN,
    write: (soul, names) => bytesOf(skillOf(soul, names)),
  },
  "cursor-mdc": {
    extension: "mdc",
    mediaType: MARKDOWN,
    write: (soul) => bytesOf(cursorRuleOf(soul)),
  },
} satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;
export const exportFormatNames = Object.keys(exportFormats) as [
  ExportFormatName,
  ...ExportFormatName[],
];

/**
 * Writes a soul in a format. The same state gives the same bytes. Texts of an older
 * release may be several lines, which an import folds. They would otherwise count as edits.
 */
export const exportSoul = async (
  format: ExportFormatName,
  soul: SoulState,
  names: ExportNames,
): Promise<Uint8Array> => {
  const lines = {
    title: oneLine(soul.title),
    domain: oneLine(soul.domain),
    compatibility: oneLine(soul.compatibility),
  };
  return exportFormats[format].write({ ...soul, ...lines }, names);
};

function writeCardPicture(soul: SoulState, names: ExportNames): Uint8Array {
  const imported = soul.package.find(({ path }) => path === CARD_PNG);
  const picture = importedPicture(soul.package);
  const texts = cardTextsOfPackage(soul.package);
  const own = texts.ccv3 ?? texts.chara;
  // The picture is returned byte for byte while its card still yields this soul.
  if (imported && own !== undefined && yields(own, soul)) return imported.bytes;
  const base = cardTextOf(soul.package);
  return writePng(
    withCardTexts(picture ?? plainPicture(), {
      chara: writeCard(soul, 2, names, texts.chara ?? base),
      ccv3: writeCard(soul, 3, names, texts.ccv3 ?? base),
    }),
  );
}

/** CHARX is a zip of `card.json` and the files that it names. */
async function writeCharx(soul: SoulState, names: ExportNames): Promise<Uint8Array> {
  const text = writeCard(soul, 3, names, cardTextOf(soul.package));
  const assets = soul.package
    .filter(({ path }) => path.startsWith("card/") && path !== CARD_JSON)
    .map(({ path, bytes }) => ({ path: path.slice("card/".length), bytes }));
  return writeZip([{ path: "card.json", bytes: bytesOf(text) }, ...assets]);
}
