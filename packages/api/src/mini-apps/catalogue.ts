import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { categories } from "../souls/categories.ts";
import { type MiniAppField, type miniAppEntry, miniAppField } from "./mini-apps.schema.ts";

/** A mini app: how lists show it, and what its own file says beyond that. */
export interface MiniApp {
  entry: z.infer<typeof miniAppEntry>;
  /** What the message asks of the soul. One line, so that no field's line can be taken for it. */
  request: string;
  /** Whoever has one of these words suits the app (soul-match.ts). */
  keywords: readonly string[];
  fields: readonly MiniAppField[];
}

const oneLine = (max: number) =>
  z.string().trim().min(1).max(max).regex(/^.*$/, "must be one line");

const allDiffer = (texts: readonly string[]) =>
  new Set(texts.map((text) => text.toLowerCase())).size === texts.length;

/** One file of the catalogue; its name is the slug. */
const miniAppFile = z.strictObject({
  title: oneLine(60).regex(/^[^*]*$/, "must not hold *"),
  icon: z.string().regex(/^icon-[a-z]+(-[a-z]+)*$/),
  category: z.enum(categories.map(({ slug }) => slug)),
  badge: z.string().trim().max(20),
  description: oneLine(300),
  // Plain words are the same to PostgreSQL's text search as to a reader; a hyphenated one is not.
  keywords: z
    .array(z.string().regex(/^[a-z]{2,30}$/, "must be one lower-case word"))
    .min(1)
    .max(12)
    .refine(allDiffer, "must not repeat a keyword"),
  request: oneLine(600),
  fields: z
    .array(
      miniAppField.refine(
        (field) =>
          field.type === "number"
            ? field.min < field.max
            : field.type !== "select" || allDiffer(field.options),
        "has min above max, or an option twice",
      ),
    )
    .min(2)
    .max(12)
    .refine((fields) => allDiffer(fields.map(({ name }) => name)), "must not repeat a name")
    .refine((fields) => allDiffer(fields.map(({ label }) => label)), "must not repeat a label")
    .refine((fields) => fields.some(({ required }) => required), "must require something"),
});

const CATALOGUE_FOLDER = new URL("./catalogue/", import.meta.url);

/** Reads the catalogue in the order of the slugs. Throws an error that names the bad file. */
export function loadMiniApps(folder: URL = CATALOGUE_FOLDER): ReadonlyMap<string, MiniApp> {
  const files = readdirSync(folder).filter((name) => !name.startsWith("."));
  return new Map(
    files.sort().map((file) => {
      const app = readMiniApp(folder, file);
      return [app.entry.slug, app];
    }),
  );
}

function readMiniApp(folder: URL, file: string): MiniApp {
  const [, slug] = /^([a-z]+(?:-[a-z]+)*)\.json$/.exec(file) ?? [];
  if (slug === undefined) throw problem(file, "must be named like its slug, kebab-case.json");
  const { title, icon, category, badge, description, ...form } = parse(folder, file);
  return {
    ...form,
    entry: {
      slug,
      icon,
      category,
      title,
      description,
      badge,
      field_count: form.fields.length,
      search_keywords: form.keywords.join(" "),
    },
  };
}

function parse(folder: URL, file: string): z.infer<typeof miniAppFile> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  } catch (cause) {
    throw problem(file, "is not valid JSON", cause);
  }
  const result = miniAppFile.safeParse(value);
  if (!result.success) throw problem(file, z.prettifyError(result.error), result.error);
  return result.data;
}

function problem(file: string, what: string, cause?: unknown): Error {
  return new Error(`Mini app ${file}: ${what}`, { cause });
}

/** Read when the hub starts: a catalogue that is not right stops it, with the file's name. */
export const miniApps = loadMiniApps();
