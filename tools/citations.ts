/** A reference to a section, decision or file, found in a file that Git tracks. */
export interface Citation {
  /** Line number of the citation, from 1. */
  line: number;
  /** The citation as the file spells it. */
  text: string;
  /** The reason why the citation is invalid; undefined if it resolves. */
  problem?: string;
}

/**
 * The documents and standards that a citation may name. Paths are relative to the root of the
 * repository.
 */
export interface Documents {
  /** Section numbers of docs/specification.md, for example "4.2". */
  specification: ReadonlySet<string>;
  /** Section numbers of docs/decisions.md, the index of the decisions. */
  decisions: ReadonlySet<string>;
  /** Names of the files in docs/decisions. */
  pages: readonly string[];
}

const section = String.raw`\u00a7\d+(?:\.\d+)*`;
const sectionList = String.raw`${section}(?:(?:,|,? and| to)\s+${section})*`;
const ownSection = new RegExp(String.raw`\b(specification|decisions)\s+(${sectionList})`, "giu");
/** Standards outside the repository whose sections a citation may name. */
const standard = String.raw`(?:RFC|NEP|EIP|ISO|ECMA)[- ]?\d+|WCAG \d+(?:\.\d+)*|HTML`;
const foreignSection = new RegExp(String.raw`\b(?:${standard})\s+${sectionList}`, "gu");

const number = String.raw`00\d\d`;
const page = new RegExp(
  String.raw`\bdecisions/(${number})((?:-[a-z0-9]+)+)?(\.md)?((?:(?:,| and) ${number})*)(?![\w-])`,
  "giu",
);
const labelledLink = new RegExp(String.raw`\[(${number})\]\(([^)\s]+)\)`, "gu");
const bareNumbers = new RegExp(
  String.raw`(?<!\])\((?:[^()\n]*[ ;])?${number}(?![\w:./-])[^()\n]*\)`,
  "gu",
);
const migrationNumbers = new RegExp(
  String.raw`\bmigrations?(?: |/)${number}(?:(?:, | and |–)${number})*`,
  "giu",
);

/** References to documents that are not in the repository. */
const absentDocuments = [
  /\b(?:realtime|toolchain|house|search|api|web)[ -]design\b/giu,
  /\bdesign (?:of|for) (?:the )?(?:live rooms|rooms|hub|search|toolchain)\b/giu,
  /\bdesign (?:document|notes?|paper)\b/giu,
  /\bshared\/(?:spec|design|findings)\b/giu,
  /(?<![\w/-])(?:api|house|realtime|toolchain|findings)\.md\b/giu,
];

/** Joins the lines of a wrapped comment without changing the offset of any character. */
const joinComments = (source: string) =>
  source.replace(/\n[ \t]*(?:\*|\/\/+|--)[ \t]/gu, (lineBreak) => " ".repeat(lineBreak.length));

/** Reads the numbers of the headings of a document: "## 4. Endpoints", "### 4.2 Chat". */
export function sectionNumbers(markdown: string): Set<string> {
  return new Set([...markdown.matchAll(/^#{2,} (\d+(?:\.\d+)*)\.? /gmu)].map(([, at]) => at ?? ""));
}

/** Returns the text below each numbered heading of the second level, by its number. */
export function sectionTexts(markdown: string): Map<string, string> {
  const sections = markdown.split(/^## /mu).slice(1);
  return new Map(
    sections.map((section) => [section.split(".")[0] ?? "", section.slice(section.indexOf("\n"))]),
  );
}

/**
 * Finds every citation of a section or decision page in a text. Also finds every section sign that
 * cites neither this repository nor a named standard.
 */
export function findCitations(source: string, documents: Documents): Citation[] {
  const text = joinComments(source);
  const found: Citation[] = [];
  const resolvedSigns = new Set<number>();
  const add = (index: number, cited: string, problem?: string) =>
    found.push({
      line: source.slice(0, index).split("\n").length,
      text: cited.replace(/\s+/gu, " "),
      ...(problem ? { problem } : {}),
    });
  const addPage = (index: number, cited: string, digits: string, slug = "") => {
    const exists = documents.pages.some((name) =>
      slug ? name === `${digits}${slug}.md` : name.startsWith(`${digits}-`),
    );
    add(index, cited, exists ? undefined : `docs/decisions has no page ${digits}${slug}`);
  };
  const signsOf = (match: RegExpExecArray) =>
    [...match[0].matchAll(/\u00a7/gu)].map((sign) => match.index + sign.index);

  for (const match of text.matchAll(ownSection)) {
    const name = match[1]?.toLowerCase() === "decisions" ? "decisions" : "specification";
    for (const sign of signsOf(match)) {
      resolvedSigns.add(sign);
      const at = /^\d+(?:\.\d+)*/u.exec(text.slice(sign + 1))?.[0] ?? "";
      const problem = documents[name].has(at) ? undefined : `docs/${name}.md has no section ${at}`;
      add(sign, `${name} \u00a7${at}`, problem);
    }
  }
  for (const match of text.matchAll(foreignSection)) {
    for (const sign of signsOf(match)) resolvedSigns.add(sign);
  }
  for (const { index } of text.matchAll(/\u00a7/gu)) {
    if (!resolvedSigns.has(index)) {
      add(index, text.slice(index, index + 12), "a section sign without the name of its document");
    }
  }
  for (const match of text.matchAll(page)) {
    const [cited, digits = "", slug, , more = ""] = match;
    addPage(match.index, cited, digits, slug);
    for (const [other] of more.matchAll(/\d+/gu)) addPage(match.index, other, other);
  }
  for (const match of text.matchAll(labelledLink)) {
    const [cited, digits = "", target = ""] = match;
    const agrees = target.split("/").at(-1)?.startsWith(`${digits}-`);
    add(match.index, cited, agrees ? undefined : "the label names another page than the link");
  }
  const withoutMigrations = text.replace(migrationNumbers, (list) => " ".repeat(list.length));
  for (const match of withoutMigrations.matchAll(bareNumbers)) {
    for (const [digits] of match[0].matchAll(/(?<![\w:./-])00\d\d(?![\w:./-])/gu)) {
      addPage(match.index, match[0], digits);
    }
  }
  for (const pattern of absentDocuments) {
    for (const match of text.matchAll(pattern)) {
      add(match.index, match[0], "a document that is not in the repository");
    }
  }
  return found;
}

export interface Link {
  line: number;
  /**
   * Path of the link's target, relative to the root of the repository; "" for the linking file
   * itself.
   */
  path: string;
  /** Slug of the heading in the target that the link names. */
  anchor: string | undefined;
}

/** Finds the relative links and images of a Markdown file, except those in code. */
export function findLinks(markdown: string, folder: string): Link[] {
  const blank = (code: string) => code.replace(/[^\n]/gu, " ");
  const prose = markdown.replace(/^```.*?^```/gmsu, blank).replace(/`[^`\n]+`/gu, blank);
  const link = /\]\(\s*([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s+(\S+)|\b(?:src|href)="([^"]+)"/gmu;
  return [...prose.matchAll(link)].flatMap((match) => {
    const target = match[1] ?? match[2] ?? match[3] ?? "";
    if (/^(?:[a-z][a-z\d+.-]*:|\/)/iu.test(target)) return [];
    const [file = "", anchor] = target.split("#");
    const base = new URL(`file:///${folder ? `${folder}/` : ""}`);
    const path = file ? decodeURIComponent(new URL(file, base).pathname).slice(1) : "";
    const line = prose.slice(0, match.index).split("\n").length;
    return [{ line, path: path.replace(/\/$/u, ""), anchor }];
  });
}

/** Returns the anchors that GitHub creates for a file's headings. */
export function headingAnchors(markdown: string): Set<string> {
  const headings = markdown.replace(/^```.*?^```/gmsu, "").matchAll(/^#+ (.+)$/gmu);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/gu, "-"),
    ),
  );
}
