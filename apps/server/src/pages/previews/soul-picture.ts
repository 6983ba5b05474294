import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderAsync } from "@resvg/resvg-js";
import type { PicturedSoul } from "@soul-hub/api";
import { drawSigil, SIGIL_SIZE } from "@soul-hub/sigil";
import { formatHex } from "culori";
import satori from "satori";

/** The size in pixels that services ask for in `og:image`. */
const WIDTH = 1_200;
const HEIGHT = 630;
const MARGIN = 80;
const ROW_HEIGHT = 460;
const SIGIL = 300;
const GAP = 64;
/** The number of characters from which a title is set in a smaller font. */
const LONG_TITLE = 60;

/** Colours of tokens.css, in the light scheme. */
const colours = { ground: "#f5f7f5", ink: "#14201b", faint: "#616e68", accent: "#0a7457" };

/** Subsets of one font. Together they have the letters of all languages in Latin script. */
const files = [
  import.meta.resolve(
    "@fontsource/bricolage-grotesque/files/bricolage-grotesque-latin-700-normal.woff",
  ),
  import.meta.resolve(
    "@fontsource/bricolage-grotesque/files/bricolage-grotesque-latin-ext-700-normal.woff",
  ),
  import.meta.resolve(
    "@fontsource/bricolage-grotesque/files/bricolage-grotesque-vietnamese-700-normal.woff",
  ),
];
const fonts = files.map((file, at) => ({
  // A family name of its own for each subset makes the later ones fallbacks of the first.
  name: `Bricolage Grotesque ${at}`,
  data: readFileSync(fileURLToPath(file)),
  weight: 700 as const,
  style: "normal" as const,
}));
const fontFamily = fonts.map(({ name }) => name).join(", ");

/**
 * Draws the picture of a soul's link preview as PNG: sigil, title, author and the hub's name. A
 * title with a character that the font lacks is left out, because services show the title, too.
 */
export async function drawSoulPicture({ id, title, username }: PicturedSoul): Promise<Buffer> {
  const byline = box({ fontSize: 34, color: colours.faint }, `by ${username}`);
  const svg =
    (await layOut([sigil(id), words([heading(title), byline])])) ??
    (await layOut([sigil(id), words([heading(`A soul by ${username}`)])]));
  if (svg === undefined) throw new Error("The font lacks a character of a username.");
  const image = await renderAsync(svg, { font: { loadSystemFonts: false } });
  return image.asPng();
}

/** Lays out the picture as SVG; undefined if the font lacks a character. */
async function layOut(children: Box[]): Promise<string | undefined> {
  let isComplete = true;
  const row = box({ height: ROW_HEIGHT, alignItems: "center", gap: GAP }, children);
  const page = box(
    {
      width: WIDTH,
      height: HEIGHT,
      boxSizing: "border-box",
      flexDirection: "column",
      padding: `40px ${MARGIN}px`,
      justifyContent: "space-between",
      backgroundColor: colours.ground,
      color: colours.ink,
      fontFamily,
    },
    [row, hubName],
  );
  const svg = await satori(page as Parameters<typeof satori>[0], {
    width: WIDTH,
    height: HEIGHT,
    fonts: [...fonts],
    // Satori asks for a font here when none of the given ones has a character.
    loadAdditionalAsset: async () => {
      isComplete = false;
      return [];
    },
  });
  return isComplete ? svg : undefined;
}

/** An element as satori reads it: the shape of a React element. */
interface Box {
  type: string;
  props: Record<string, unknown>;
}

const box = (style: Record<string, unknown>, children: readonly Box[] | string): Box => ({
  type: "div",
  props: { style: { display: "flex", ...style }, children },
});

const picture = (svg: string, size: number): Box => ({
  type: "img",
  props: {
    src: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`,
    width: size,
    height: size,
  },
});

const words = (children: readonly Box[]): Box =>
  box({ width: WIDTH - 2 * MARGIN - SIGIL - GAP, flexDirection: "column", gap: 20 }, children);

function heading(text: string): Box {
  const fontSize = [...text].length > LONG_TITLE ? 54 : 72;
  const wrapped = { display: "block", lineClamp: 5, wordBreak: "break-word" };
  return box({ ...wrapped, fontSize, lineHeight: 1.12, letterSpacing: -1.5 }, text);
}

const hubName = box({ alignItems: "center", gap: 18 }, [
  picture(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="${colours.accent}"/><path d="M8 17a8 8 0 0 1 16 0v7h-4.5a3.5 3.5 0 0 1-7 0H8z" fill="#fff"/><circle cx="13" cy="16" r="1.9" fill="${colours.accent}"/><circle cx="19" cy="16" r="1.9" fill="${colours.accent}"/></svg>`,
    52,
  ),
  box({ fontSize: 34 }, "Soul Hub"),
]);

/** The sigil on its tile, in the colours of sigil.css. resvg reads no OKLCH. */
function sigil(id: number): Box {
  const { hue, bold, soft } = drawSigil(id);
  const hex = (l: number, c: number, h: number) => formatHex({ mode: "oklch", l, c, h });
  const edge = SIGIL_SIZE / 0.68;
  const margin = (edge - SIGIL_SIZE) / 2;
  return picture(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-margin} ${-margin} ${edge} ${edge}"><rect x="${-margin}" y="${-margin}" width="${edge}" height="${edge}" rx="${edge * 0.26}" fill="${hex(0.93, 0.045, hue)}"/><path d="${bold}" fill="${hex(0.5, 0.13, hue)}"/><path d="${soft}" fill="${hex(0.74, 0.12, hue + 40)}"/></svg>`,
    SIGIL,
  );
}
