import { categories } from "../categories.ts";

/** The number of characters of a question, and of a soul's text, that are embedded. */
const QUESTION_CHARS = 300;
const PROSE_CHARS = 500;

/** Changes with {@link embeddedText}: vectors of differently composed texts can't be compared. */
export const COMPOSITION = "text-1";

const roleNames: ReadonlyMap<string, string> = new Map(
  categories.map(({ slug, name }) => [slug, name]),
);

interface EmbeddedSoul {
  title: string;
  description: string;
  role: string;
  domain: string;
  /** Empty behind an NFT gate. */
  content: string;
}

/** Returns the text of a soul that is embedded: what the soul is about, most important first. */
export const embeddedText = ({ title, description, role, domain, content }: EmbeddedSoul): string =>
  [title, description, roleNames.get(role), domain, prose(mainFile(content))]
    .filter(Boolean)
    .join("\n");

export const embeddedQuestion = (question: string): string =>
  Array.from(question.trim()).slice(0, QUESTION_CHARS).join("");

/** Returns the file SOUL.md of a folder, or the text itself. */
function mainFile(content: string): string {
  if (!content.startsWith("{")) return content;
  try {
    const files = JSON.parse(content) as Record<string, unknown>;
    const main = files["SOUL.md"] ?? Object.values(files)[0];
    return typeof main === "string" ? main : "";
  } catch {
    return content;
  }
}

/** Returns the beginning of a Markdown text without front matter, code and marks. */
const prose = (markdown: string): string =>
  markdown
    .slice(0, 8 * PROSE_CHARS)
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(?:#+|[-*+>]|\d+\.)\s+/gm, "")
    .replace(/[*_`|#]+/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, PROSE_CHARS);
