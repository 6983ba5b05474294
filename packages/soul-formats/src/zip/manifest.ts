import { cutFields } from "../cut-fields.ts";
import { FormatError } from "../format-error.ts";
import { applyEdits, itemsAt, memberAt, setMember, wholeValue } from "../json/json-text.ts";
import {
  isObject,
  type JsonObject,
  member,
  readJsonObject,
  textMember,
  versionMember,
} from "../json/read-json.ts";
import type { ExportNames, ImportedSoul, ImportWarning, SoulTexts } from "../soul-state.ts";
import { cut, isNewer } from "../text.ts";

// soul.json of the Soul Spec, versions 0.3 to 0.6.

export const MANIFEST = "soul.json";
const SPEC_VERSION = "0.6";
const OLDEST_SPEC = "0.3";
const SHORT_DESCRIPTION = 160;

type Fields = ImportedSoul["fields"];

/**
 * Reads the fields of a soul from a manifest. A manifest that is no JSON object carries none.
 * @param roles the category slugs, the only categories that count
 */
export function manifestFields(
  text: string | null,
  roles: ReadonlySet<string>,
  warnings: ImportWarning[],
): Fields {
  if (text === null) return {};
  const json = parsed(text, warnings);
  if (!json) return {};
  const version = cut(versionMember(json, "specVersion"), 20);
  if (isNewer(version, SPEC_VERSION) || (version !== "" && isNewer(OLDEST_SPEC, version))) {
    warnings.push({
      path: MANIFEST,
      message: `is of Soul Spec ${version}; this hub knows ${OLDEST_SPEC} to ${SPEC_VERSION}`,
    });
  }
  const tags = member(json, "tags");
  const first: unknown = Array.isArray(tags) ? tags[0] : undefined;
  const category = textMember(json, "category");
  const title = textMember(json, "displayName") || textMember(json, "name");
  return cutFields(
    {
      ...(title ? { title } : {}),
      ...(typeof member(json, "description") === "string"
        ? { description: textMember(json, "description") }
        : {}),
      ...(roles.has(category) ? { role: category } : {}),
      ...(typeof first === "string" ? { domain: first } : {}),
    },
    MANIFEST,
    warnings,
  );
}

function parsed(text: string, warnings: ImportWarning[]): JsonObject | null {
  try {
    return readJsonObject(text, MANIFEST);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    warnings.push({ path: MANIFEST, message: error.message });
    return null;
  }
}

/** Writes the manifest of a soul that was imported without one. */
export function newManifest(soul: SoulTexts, names: ExportNames, files: readonly string[]): string {
  return asText({
    specVersion: SPEC_VERSION,
    name: names.slug,
    displayName: soul.title,
    version: names.version,
    description: cut(soul.description, SHORT_DESCRIPTION),
    author: { name: names.author },
    tags: soul.domain ? [soul.domain] : [],
    category: soul.role,
    files: Object.fromEntries(files.map((name) => [keyOf(name), name])),
  });
}

const asText = (json: object) => `${JSON.stringify(json, null, 2)}\n`;
const keyOf = (name: string) =>
  name === "SOUL.md" ? "soul" : name.replace(/\.\w+$/, "").toLowerCase();

const OWN_NAMES = "specVersion,name,displayName,version,description,author,tags,category,files";

/**
 * Reports whether a manifest is one that {@link newManifest} wrote. The next export writes it again,
 * so it is not kept.
 */
export function isGenerated(text: string): boolean {
  const json = parsed(text, []);
  return (
    json !== null &&
    Object.keys(json).join() === OWN_NAMES &&
    textMember(json, "specVersion") === SPEC_VERSION &&
    /^1\.0\.\d+$/.test(textMember(json, "version")) &&
    isObject(json.author) &&
    Object.keys(json.author).join() === "name" &&
    asText(json) === text
  );
}

/**
 * Brings an imported manifest up to date. Only the values that the soul no longer has are replaced;
 * every other character stays.
 * @param plain the soul that the files yield with the manifest as it is
 */
export function updatedManifest(text: string, soul: SoulTexts, plain: SoulTexts): string {
  if (!parsed(text, [])) return text;
  let result = text;
  const set = (name: string, value: string) => {
    result = applyEdits(result, setMember(result, wholeValue(result), name, JSON.stringify(value)));
  };
  if (plain.title !== soul.title) set("displayName", soul.title);
  if (plain.description !== soul.description) {
    set("description", cut(soul.description, SHORT_DESCRIPTION));
  }
  if (plain.role !== soul.role) set("category", soul.role);
  if (plain.domain !== soul.domain) result = withFirstTag(result, soul.domain);
  return result;
}

function withFirstTag(text: string, tag: string): string {
  const whole = wholeValue(text);
  const tags = memberAt(text, whole, "tags");
  const value = JSON.stringify(tag);
  if (!tags || text[tags.start] !== "[")
    return applyEdits(text, setMember(text, whole, "tags", `[${value}]`));
  const [first] = itemsAt(text, tags);
  const at = tags.start + 1;
  return applyEdits(text, [
    first ? { ...first, text: value } : { start: at, end: at, text: value },
  ]);
}
