import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { categories } from "./categories.ts";

/** What a starter soul says about itself: in its front matter, or in its folder's soul.json. */
const aboutSchema = z.strictObject({
  title: z.string().trim().min(1).max(120),
  description: z.string().trim().min(1).max(2_000),
  role: z.enum(categories.map(({ slug }) => slug)),
  domain: z
    .string()
    .max(100)
    .regex(/^[a-z]+( [a-z]+)?$/, "must be one or two lower-case words"),
  compatibility: z.string().trim().min(1).max(100),
});

const textSchema = z.string().max(200_000).regex(/\S/, "must not be empty");

/** A folder soul's files, by the folder grammar of decisions §2, so that it is detected as one. */
const folderSchema = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,99}$/)
      .regex(/[^.]\.\w+$/),
    textSchema,
  )
  .refine((files) => "SOUL.md" in files, "must hold a SOUL.md")
  .refine((files) => Object.keys(files).length <= 50, "must hold at most 50 files");

const starterSoulSchema = z.object({ ...aboutSchema.shape, content: textSchema });

export type StarterSoul = z.infer<typeof starterSoulSchema>;

const STARTER_FOLDER = new URL("./starter/", import.meta.url);

/**
 * Reads the starter souls (decisions §7) in the order of their slugs. `content` is what publishing
 * takes: Markdown, or the JSON text of file name → text. Throws an error that names the bad file.
 */
export async function loadStarterSouls(folder: URL = STARTER_FOLDER): Promise<StarterSoul[]> {
  const entries = await listVisible(folder);
  return Promise.all(
    entries.map((entry) => {
      if (entry.isDirectory()) return readFolderSoul(folder, entry.name);
      if (entry.name.endsWith(".md")) return readMarkdownSoul(folder, entry.name);
      throw problem(entry.name, "is neither a .md file nor a folder");
    }),
  );
}

async function readMarkdownSoul(folder: URL, file: string): Promise<StarterSoul> {
  const text = await readText(new URL(encodeURIComponent(file), folder));
  const [, frontMatter, content] = /^---\n(.*?)\n---\n+(.*)$/s.exec(text) ?? [];
  if (frontMatter === undefined)
    throw problem(file, "must begin with front matter between --- lines");

  const about = new Map<string, string>();
  for (const line of frontMatter.split("\n")) {
    if (line.trim() === "") continue;
    // Plain `key: value` and no YAML: the first colon ends the key, so a title may hold another.
    const [, key, value] = /^(\w+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) throw problem(file, `has a bad line: ${line}`);
    if (about.has(key)) throw problem(file, `says ${key} twice`);
    about.set(key, value);
  }
  const checked = check(aboutSchema, Object.fromEntries(about), file);
  return check(starterSoulSchema, { ...checked, content }, file);
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
  const { "soul.json": about, ...files } = Object.fromEntries(texts);
  const aboutFile = `${name}/soul.json`;
  if (about === undefined) throw problem(aboutFile, "is missing");

  const checked = check(aboutSchema, parseJson(about, aboutFile), aboutFile);
  const folderFiles = check(folderSchema, files, name);
  // SOUL.md first, as a model is given it (decisions §5) and a reader wants it.
  const content = JSON.stringify({ "SOUL.md": folderFiles["SOUL.md"], ...folderFiles });
  return check(starterSoulSchema, { ...checked, content }, name);
}

/** Sorted, because the order of readdir differs between systems; without what desktops leave behind. */
async function listVisible(folder: URL) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter(({ name }) => !name.startsWith("."))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A checkout with CRLF line ends must give the same souls as any other. */
async function readText(file: URL): Promise<string> {
  return (await readFile(file, "utf8")).replaceAll("\r\n", "\n");
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw problem(file, "is not valid JSON", cause);
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, file: string) {
  const result = schema.safeParse(value);
  if (!result.success) throw problem(file, z.prettifyError(result.error), result.error);
  return result.data;
}

function problem(file: string, what: string, cause?: unknown): Error {
  return new Error(`Starter soul ${file}: ${what}`, { cause });
}
