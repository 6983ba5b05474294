import fc from "fast-check";
import { type ExportNames, fileTypeOf, type SoulState } from "./index.ts";

export const roles: ReadonlySet<string> = new Set(["software-engineering", "storytelling"]);

export const names: ExportNames = {
  slug: "orla",
  author: "ada",
  version: "1.0.3",
  id: 7,
  roles,
};

/** Texts with everything that a format could mistake for its own. */
const piece = fc.constantFrom(
  "You keep the light.",
  "# Orla\n",
  "\r\n",
  "\ufeff",
  "🦊👩‍🚀",
  "---\nname: x\n---\n",
  "----\n",
  "--- \r\n",
  "<!-- BEGIN FILE 123456 SOUL.md -->\n",
  "\n<!-- END FILE 123456 -->\n",
  "<!-- BEGIN CONTENT 123456 -->\n",
  "{{char}} and <USER>",
  '{"name": "x", "description": "y"}',
  "@@depth 4\n",
  "--- STYLE.md ---\n",
  "  ",
  "\\ \" ' % `",
  "PK\u0003\u0004",
  "\n---\ndescription: Use this: now\n---\n",
  "---\ndescription: !important\n---\n",
  "<!DOCTYPE html>\n",
  "// x\n{ name: 1 }",
  '[{"name": "x"}]',
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "grapheme", maxLength: 40 }).map((given) => given.replaceAll("\0", "")),
);

const fileName = fc.constantFrom(
  "SOUL.md",
  "soul.md",
  "STYLE.md",
  "SKILL.md",
  "PERSONALITY.md",
  "LORE.md",
  "GREETING.md",
  "RULES.md",
  "STARTERS.md",
  "README.md",
  "notes.txt",
  "data.json",
  "soul.json",
  "card.json",
  "manifest.json",
);

const folder = fc
  .uniqueArray(fc.tuple(fileName, text), { minLength: 1, maxLength: 6, selector: ([name]) => name })
  .chain((files) =>
    fc.constantFrom(0, 2).map((spaces) => JSON.stringify(Object.fromEntries(files), null, spaces)),
  );

const content = fc.oneof(
  text.filter((given) => given.trim() !== ""),
  folder,
);

const trimmed = (maxLength: number) =>
  fc
    .string({ unit: "grapheme-ascii", maxLength })
    .map((given) => given.replaceAll(/ +/g, " ").trim());

export const title = fc.oneof(
  fc.constantFrom("Keeper of the Light", "Ørla 🦊", "{{char}}"),
  trimmed(60).filter(Boolean),
);

/** A soul as a hub stores it, without a package. */
export const soulState: fc.Arbitrary<SoulState> = fc
  .record({
    title,
    description: fc.oneof(text, fc.constant("A long story. ".repeat(30))),
    content,
    role: fc.constantFrom("Other", ...roles),
    domain: trimmed(20).map((given) => given.toLowerCase()),
    compatibility: fc.constantFrom("any", "", "claude", "gpt-4"),
  })
  .map((soul) => ({ ...soul, file_type: fileTypeOf(soul.content), package: [] }));

/** Files beside a soul, at paths below the root. */
export const packageFiles = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(
        "assets/a.bin",
        "assets/deep/er/b.png",
        "LICENSE",
        "README.md",
        "memory/x.md",
        "tool.zip",
      ),
      fc.uint8Array({ maxLength: 60 }),
    ),
    { maxLength: 4, selector: ([path]) => path },
  )
  .map((files) => files.map(([path, bytes]) => ({ path, bytes })));
