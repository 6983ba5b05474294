import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foreignCard, foreignCharx, foreignPicture } from "./card/cards.fixture.ts";
import {
  type ExportFormatName,
  exportSoul,
  fileTypeOf,
  newSoulTexts,
  readSoulFile,
  type SoulState,
} from "./index.ts";
import { names, packageFiles, roles, soulState, title } from "./laws.fixture.ts";

const throughFile = async (soul: SoulState, format: ExportFormatName) =>
  readSoulFile(await exportSoul(format, soul, names), roles);

const { package: _, ...noTexts } = { package: null };
const textsOf = ({ package: _package, ...texts }: SoulState) => ({ ...texts, ...noTexts });
const byPath = (files: SoulState["package"]) =>
  new Map(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString("hex")]));

/** @param times how many times the ordinary number of random souls is tried */
export function describeLaws(times: number): void {
  describe("law 1: what a soul is written as reads as the same soul", () => {
    it.each(["zip", "charx", "card-png", "card-json", "card-v2-json"] as const)(
      "%s",
      async (format) => {
        await fc.assert(
          fc.asyncProperty(soulState, async (soul) => {
            expect(newSoulTexts(await throughFile(soul, format))).toEqual(textsOf(soul));
          }),
          { numRuns: 33 * times },
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
        { numRuns: 33 * times },
      );
    });

    describe.each([
      ["a card", foreignCard.map(({ text }) => Buffer.from(text))],
      ["a picture", foreignPicture],
      ["CHARX", foreignCharx],
    ] as const)("of %s, also after an edit", (_, foreign) => {
      const edits = fc.record({ content: soulState.map(({ content }) => content), title: title });
      const imported = fc.tuple(foreign, fc.option(edits)).map(async ([bytes, edit]) => {
        const read = await readSoulFile(bytes, roles);
        const soul = { ...newSoulTexts(read), package: read.package, ...edit };
        return { ...soul, file_type: fileTypeOf(soul.content) };
      });

      it("zip, with its package", async () => {
        await fc.assert(
          fc.asyncProperty(imported, async (soul) => {
            const state = await soul;
            const read = await throughFile(state, "zip");
            expect(newSoulTexts(read)).toEqual(textsOf(state));
            expect(byPath(read.package)).toEqual(byPath(state.package));
          }),
          { numRuns: 13 * times },
        );
      });

      it.each(["charx", "card-png", "card-json", "card-v2-json"] as const)("%s", async (format) => {
        await fc.assert(
          fc.asyncProperty(imported, async (soul) => {
            const state = await soul;
            expect(newSoulTexts(await throughFile(state, format))).toEqual(textsOf(state));
          }),
          { numRuns: 7 * times },
        );
      });
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
        { numRuns: 7 * times },
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
          { numRuns: 33 * times },
        );
      },
    );
  });
}
