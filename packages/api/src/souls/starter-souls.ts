import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { categories } from "./categories.ts";
import { detectFileType } from "./soul-content.ts";
import { soulFields } from "./souls.schema.ts";

/** A starter soul. Its metadata is the front matter of its file, or soul.json of its folder. */
const starterSoul = z.strictObject({
  title: soulFields.title,
  description: soulFields.description.min(1),
  role: z.enum(categories.map(({ slug }) => slug)),
  domain: z
    .string()
    .max(100)
    .regex(/^[a-z]+( [a-z]+)?$/, "must be one or two lower-case words"),
  compatibility: soulFields.compatibility.min(1),
  content: soulFields.content,
});

export type StarterSoul = z.infer<typeof starterSoul>;

const STARTER_FOLDER = new URL("./starter/", import.meta.url);

/**
 * Reads the starter souls (decisions §7) in the order of their file names. `content` is Markdown, or
 * the JSON text of an object from file names to texts.
 * @throws Error that names the invalid file
 */
export async function loadStarterSouls(folder: URL = STARTER_FOLDER): Promise<StarterSoul[]> {
  const entries = await listVisible(folder);
  return Promise.all(
    entries.map((entry) => {
      if (entry.isDirectory()) return readFolderSoul(folder, entry.name);
      if (entry.name.endsWith(".md")) return readMarkdownSoul(folder, entry.name);
      throw problem(entry.name, "must be a .md file or a folder");
    }),
  );
}

async function readMarkdownSoul(folder: URL, file: string): Promise<StarterSoul> {
  const text = await readText(new URL(encodeURIComponent(file), folder));
  const [, frontMatter, content] = /^---\n(.*?)\n---\n+(.*)$/s.exec(text) ?? [];
  if (frontMatter === undefined)
    throw problem(file, "must begin with front matter between lines of ---");

  const fields = new Map([["content", content]]);
  for (const line of frontMatter.split("\n")) {
    if (line.trim() === "") continue;
    // The front matter is not YAML: only the first colon of a line separates the key from the
    // value. A title may therefore contain a colon.
    const [, key, value] = /^(\w+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined)
      throw problem(file, `has a line that is not "key: value": ${line}`);
    if (fields.has(key)) throw problem(file, `contains ${key} twice`);
    fields.set(key, value);
  }
  return check(Object.fromEntries(fields), file);
}

async function readFolderSoul(parent: URL, name: string): Promise<StarterSoul> {
  const folder = new URL(`${encodeURIComponent(name)}/`, parent);
  const entries = await listVisible(folder);
  const texts = await Promise.all(
    entries.map(async (entry): Promise<[string, string]> => {
      if (!entry.isFile()) throw problem(`${name}/${entry.name}`, "must be a file");
      return [entry.name, await readText(new URL(encodeURIComponent(entry.name), folder))];
    }),
  );
  const { "soul.json": about, "SOUL.md": main, ...others } = Object.fromEntries(texts);
  const aboutFile = `${name}/soul.json`;
  if (about === undefined) throw problem(aboutFile, "is missing");
  if (main === undefined) throw problem(name, "must contain a SOUL.md");
  const blank = texts.find(([, text]) => text.trim() === "");
  if (blank) throw problem(`${name}/${blank[0]}`, "must not be blank");
  // SOUL.md is the first file, since the prompt of a folder soul begins with it (decisions §5).
  const content = JSON.stringify({ "SOUL.md": main, ...others });
  if (detectFileType(content) !== "full_soul_folder")
    throw problem(name, "must contain at most 50 files, with names as decisions §2 requires");
  return check({ ...parseJson(about, aboutFile), content }, aboutFile);
}

/** Lists a folder by name, since the order of readdir differs between systems. Skips hidden files. */
async function listVisible(folder: URL) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter(({ name }) => !name.startsWith("."))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads a text with normalised line ends, so that a checkout with CRLF gives the same souls. */
async function readText(file: URL): Promise<string> {
  return (await readFile(file, "utf8")).replaceAll("\r\n", "\n");
}

function parseJson(text: string, file: string): object {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw problem(file, "is not valid JSON", cause);
  }
}

function check(fields: object, file: string): StarterSoul {
  const result = starterSoul.safeParse(fields);
  if (!result.success) throw problem(file, z.prettifyError(result.error), result.error);
  return result.data;
}

function problem(file: string, reason: string, cause?: unknown): Error {
  return new Error(`Starter soul ${file}: ${reason}`, { cause });
}
