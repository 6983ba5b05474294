import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { categories } from "../souls/categories.ts";
import { type MiniAppField, type miniAppEntry, miniAppField } from "./mini-apps.schema.ts";

/** A mini app: its list entry, and the rest of its file in the catalogue. */
export interface MiniApp {
  entry: z.infer<typeof miniAppEntry>;
  /**
   * What the soul is asked to do: one line at the top of the message that `formMessage` returns.
   */
  request: string;
  /** Theme keywords. A soul that contains one of them matches the mini app (soul-match.ts). */
  keywords: readonly string[];
  fields: readonly MiniAppField[];
}

const oneLine = (max: number) =>
  z.string().trim().min(1).max(max).regex(/^.*$/, "must be one line");

const allDiffer = (texts: readonly string[]) =>
  new Set(texts.map((text) => text.toLowerCase())).size === texts.length;

/** Schema of one file of the mini app catalogue. The file name is the slug. */
const miniAppFile = z.strictObject({
  title: oneLine(60).regex(/^[^*]*$/, "must not contain *"),
  icon: z.string().regex(/^icon-[a-z]+(-[a-z]+)*$/),
  category: z.enum(categories.map(({ slug }) => slug)),
  badge: z.string().trim().max(20),
  description: oneLine(300),
  // A keyword has only the letters a-z, because PostgreSQL's text search splits words at hyphens
  // and interprets operators.
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
        "must have min below max and no repeated option",
      ),
    )
    .min(2)
    .max(12)
    .refine((fields) => allDiffer(fields.map(({ name }) => name)), "must not repeat a name")
    .refine((fields) => allDiffer(fields.map(({ label }) => label)), "must not repeat a label")
    .refine((fields) => fields.some(({ required }) => required), "must have a required field"),
});

/**
 * Reads the mini apps from the catalogue, in the order of their slugs.
 * @throws Error that names the invalid file
 */
export function loadMiniApps(
  folder = new URL("./catalogue/", import.meta.url),
): ReadonlyMap<string, MiniApp> {
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
  if (slug === undefined) throw invalidFile(file, "must be named <slug>.json in kebab case");
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  } catch (cause) {
    throw invalidFile(file, "is not valid JSON", cause);
  }
  const { data, error } = miniAppFile.safeParse(value);
  if (!data) throw invalidFile(file, z.prettifyError(error), error);
  const { request, keywords, fields, ...shown } = data;
  const search_keywords = keywords.join(" ");
  const entry = { slug, ...shown, field_count: fields.length, search_keywords };
  return { entry, request, keywords, fields };
}

const invalidFile = (file: string, problem: string, cause?: unknown): Error =>
  new Error(`Mini app ${file}: ${problem}`, { cause });

/** The mini apps by slug. An invalid catalogue file prevents the hub from starting. */
export const miniApps = loadMiniApps();
