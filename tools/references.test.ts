import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Documents,
  findCitations,
  findLinks,
  headingAnchors,
  sectionNumbers,
  sectionTexts,
} from "./citations.ts";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(resolve(root, file), "utf8");
const kinds = new Set([".ts", ".tsx", ".md", ".mjs", ".sql", ".css", ".yaml"]);

const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  .split("\0")
  // Git still lists a file that is deleted but not yet committed.
  .filter((file) => file && existsSync(resolve(root, file)));
const folders = new Set(tracked.flatMap((file) => ancestors(file)));
/** Every tracked file of these kinds is checked, except the lockfile, which pnpm writes. */
const files = tracked.filter((file) => kinds.has(extname(file)) && file !== "pnpm-lock.yaml");

/** Path of each file with decisions, relative to docs/. The index docs/decisions.md links to them. */
const rules = tracked
  .filter((file) => dirname(file) === "docs/decisions/rules")
  .map((file) => file.slice("docs/".length));

const documents: Documents = {
  specification: sectionNumbers(read("docs/specification.md")),
  decisions: sectionNumbers(read("docs/decisions.md")),
  pages: tracked
    .filter((file) => dirname(file) === "docs/decisions")
    .map((file) => file.slice("docs/decisions/".length)),
};

function ancestors(file: string): string[] {
  const folder = dirname(file);
  return folder === "." ? [] : [folder, ...ancestors(folder)];
}

describe("references", () => {
  it("reads the sections of the specification and the decisions", () => {
    const chapters = ["1", "2", "3", "4", "5", "6", "7", "8"];
    expect([...documents.specification]).toEqual(
      expect.arrayContaining([...chapters, "9", "4.1", "4.5", "5.1", "5.6"]),
    );
    expect([...documents.decisions]).toEqual(chapters);
    expect(documents.pages.length).toBeGreaterThan(20);
  });

  it("finds every decision in the index, under the number of its section", () => {
    const index = sectionTexts(read("docs/decisions.md"));
    const missing = rules.flatMap((file) =>
      [...sectionTexts(read(`docs/${file}`))].flatMap(([number, text]) =>
        [...headingAnchors(text)]
          .filter((anchor) => !index.get(number)?.includes(`](${file}#${anchor})`))
          .map((anchor) => `${file}#${anchor} is not in section ${number}`),
      ),
    );
    expect(rules.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it("resolves every citation of a section or a decision", () => {
    const citations = files.flatMap((file) =>
      findCitations(read(file), documents).map((citation) => ({ file, ...citation })),
    );
    expect(citations.length).toBeGreaterThan(200);
    expect(
      citations.flatMap(({ file, line, text, problem }) =>
        problem ? [`${file}:${line}: ${text}: ${problem}`] : [],
      ),
    ).toEqual([]);
  });

  it("resolves every relative link in Markdown", () => {
    const broken = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) =>
        findLinks(read(file), dirname(file) === "." ? "" : dirname(file)).flatMap((link) => {
          const target = link.path || file;
          if (!tracked.includes(target) && !folders.has(target)) {
            return [`${file}:${link.line}: ${target} does not exist`];
          }
          if (!link.anchor || headingAnchors(read(target)).has(link.anchor)) return [];
          return [`${file}:${link.line}: ${target} has no heading #${link.anchor}`];
        }),
      );
    expect(broken).toEqual([]);
  });
});

/**
 * The sample texts insert the section sign at runtime. Otherwise the citation check of this
 * repository would find citations in this file.
 */
describe("findCitations", () => {
  const sign = "\u00a7";
  const [known, unknown] = ["0002", "0099"];
  const problems = (text: string) =>
    findCitations(text, {
      specification: new Set(["4", "4.2"]),
      decisions: new Set(["1", "3", "5"]),
      pages: [`${known}-transports.md`],
    }).flatMap(({ line, problem }) => (problem ? [`${line}: ${problem}`] : []));

  it.each([
    `Specification ${sign}4.2, GET /api/chat`,
    `decisions ${sign}5, Memory; decisions ${sign}1 and ${sign}3`,
    `/**\n * The order of decisions\n * ${sign}1, ${sign}3\n */`,
    `RFC 9112 ${sign}3.2`,
    `NEP-413 ${sign}2 and WCAG 2.2 ${sign}1.4`,
    `docs/decisions/${known}, docs/decisions/${known}-transports.md`,
    `One of many (${known}). (decisions ${sign}5; ${known})`,
    `[${known}](../decisions/${known}-transports.md)`,
    `(migration ${unknown}) and (migrations ${unknown} and ${unknown})`,
    "2001:db8:0001::(0600) 0000-01-01",
  ])("accepts %j", (text) => {
    expect(problems(text)).toEqual([]);
  });

  it.each([
    [`\ndecisions ${sign}9`, "2: docs/decisions.md has no section 9"],
    [`decisions ${sign}1,\n// ${sign}7`, "2: docs/decisions.md has no section 7"],
    [`specification ${sign}4.9`, "1: docs/specification.md has no section 4.9"],
    [`as ${sign}4 says`, "1: a section sign without the name of its document"],
    [`docs/decisions/${unknown}`, `1: docs/decisions has no page ${unknown}`],
    [`decisions/${known}-doors.md`, `1: docs/decisions has no page ${known}-doors`],
    [`docs/decisions/${known}, ${unknown}`, `1: docs/decisions has no page ${unknown}`],
    [`The head (${unknown}).`, `1: docs/decisions has no page ${unknown}`],
    [`// (decisions ${sign}5;\n  // ${unknown})`, `1: docs/decisions has no page ${unknown}`],
    [`(see ${known}; ${unknown})`, `1: docs/decisions has no page ${unknown}`],
    [`[${unknown}](decisions.md)`, "1: the label names another page than the link"],
    [["Realtime", "design, Stop"].join(" "), "1: a document that is not in the repository"],
  ])("refuses %j", (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });
});
