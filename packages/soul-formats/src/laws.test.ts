import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ExportFormatName,
  exportSoul,
  newSoulTexts,
  readSoulFile,
  type SoulState,
} from "./index.ts";
import { names, packageFiles, roles, soulState } from "./laws.fixture.ts";

const throughFile = async (soul: SoulState, format: ExportFormatName) =>
  readSoulFile(await exportSoul(format, soul, names), roles);

const { package: _, ...noTexts } = { package: null };
const textsOf = ({ package: _package, ...texts }: SoulState) => ({ ...texts, ...noTexts });
const byPath = (files: SoulState["package"]) =>
  new Map(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString("hex")]));

describe("law 1: what a soul is written as reads as the same soul", () => {
  it.each(["zip", "charx", "card-png", "card-json", "card-v2-json"] as const)(
    "%s",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(soulState, async (soul) => {
          expect(newSoulTexts(await throughFile(soul, format))).toEqual(textsOf(soul));
        }),
      );
    },
  );

  it("zip, with its package", async () => {
    await fc.assert(
      fc.asyncProperty(soulState, packageFiles, async (soul, files) => {
        const read = await throughFile({ ...soul, package: files }, "zip");
        expect(newSoulTexts(read)).toEqual(textsOf(soul));
        expect(byPath(read.package)).toEqual(byPath(files));
      }),
    );
  });

  it("writes the same state as the same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(soulState, packageFiles, async (soul, files) => {
        const state = { ...soul, package: files };
        const [first, second] = [
          await exportSoul("zip", state, names),
          await exportSoul("zip", { ...state, package: files.toReversed() }, names),
        ];
        expect(Buffer.compare(first, second)).toBe(0);
      }),
      { numRuns: 20 },
    );
  });
});

describe("law 3: Markdown formats keep the content byte for byte", () => {
  it.each(["claude-md", "agents-md", "copilot-md", "md", "skill-md", "cursor-mdc"] as const)(
    "%s",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(soulState, async (soul) => {
          expect((await throughFile(soul, format)).content).toBe(soul.content);
        }),
      );
    },
  );
});
