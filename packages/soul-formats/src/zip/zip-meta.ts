import { cutFields } from "../cut-fields.ts";
import { FormatError } from "../format-error.ts";
import { member, readJsonObject } from "../json/read-json.ts";
import { fileTypeOf, isFileName, joinFiles, lastOfDoubles } from "../soul-files.ts";
import { fieldNames, type ImportedSoul, type PackageFile, type SoulTexts } from "../soul-state.ts";
import { assertStorable, bytesOf, sha256, textOf } from "../text.ts";
import { MANIFEST } from "./manifest.ts";

/** The file of an export that holds what its other files do not yield again. */
export const META = ".soul-hub/meta.json";
/** The folder of content files whose names mean something else at the root of a zip. */
export const META_CONTENT = ".soul-hub/content/";

/** A file of the content: its name in the soul, and its path in the zip. */
export interface ContentPath {
  name: string;
  path: string;
}

/** What a zip yields by its files alone. */
interface Yielded extends Pick<ImportedSoul, "content" | "file_type"> {
  fields: ImportedSoul["fields"];
  contentPaths: readonly ContentPath[];
}

/** Writes the meta file of an export whose files yield `plain` in place of `soul`. */
export function writeMeta(
  soul: SoulTexts,
  plain: SoulTexts,
  contentPaths: readonly ContentPath[],
  files: readonly PackageFile[],
): PackageFile {
  const named = [MANIFEST, ...contentPaths.map(({ path }) => path)];
  const hashes = files
    .filter(({ path }) => named.includes(path))
    .map(({ path, bytes }) => [path, sha256(bytes)] as const);
  const changed = fieldNames.filter((name) => soul[name] !== plain[name]);
  const texts = contentPaths.map(({ name, path }): [string, string] => [
    name,
    textOf(files.find((file) => file.path === path)?.bytes ?? new Uint8Array()) ?? "",
  ]);
  const joined = soul.file_type === "single_md" ? (texts[0]?.[1] ?? "") : joinFiles(texts);
  const meta = {
    v: 1,
    files: Object.fromEntries(hashes),
    ...Object.fromEntries(changed.map((name) => [name, soul[name]])),
    ...(soul.content === plain.content
      ? {}
      : {
          file_type: soul.file_type,
          contents: contentPaths.map(({ name, path }) => [name, path]),
          ...(joined === soul.content ? {} : { content: soul.content }),
        }),
  };
  return { path: META, bytes: bytesOf(`${JSON.stringify(meta, null, 2)}\n`) };
}

/**
 * Applies the meta file of a zip. It counts for files whose SHA-256 it names; where a file was
 * changed since, the file counts.
 */
export function applyMeta(plain: Yielded, files: ReadonlyMap<string, Uint8Array>): Yielded {
  const bytes = files.get(META);
  const text = bytes && textOf(bytes);
  if (!text) return plain;
  let meta: unknown;
  try {
    meta = readJsonObject(text, META);
  } catch (error) {
    if (error instanceof FormatError) return plain;
    throw error;
  }
  const isSame = (path: string) => {
    const present = files.get(path);
    const known = member(member(meta, "files"), path);
    return present ? known === sha256(present) : known === undefined;
  };
  const read = { ...plain };
  if (isSame(MANIFEST)) {
    const given = fieldNames.flatMap((name) => {
      const value = member(meta, name);
      return typeof value === "string" ? [[name, value] as const] : [];
    });
    read.fields = { ...plain.fields, ...cutFields(Object.fromEntries(given), META, []) };
  }
  const contentPaths = readPaths(member(meta, "contents"));
  const isListed = (path: string) => contentPaths.some((listed) => listed.path === path);
  if (
    contentPaths.length === 0 ||
    !contentPaths.every(({ path }) => files.has(path) && isSame(path)) ||
    !plain.contentPaths.every(({ path }) => isListed(path))
  ) {
    return read;
  }
  const texts = contentPaths.map(({ name, path }): [string, string] => [
    name,
    textOf(files.get(path) as Uint8Array) ?? "",
  ]);
  const given = member(meta, "content");
  const joined =
    member(meta, "file_type") === "single_md" ? (texts[0]?.[1] ?? "") : joinFiles(texts);
  const content = typeof given === "string" ? lastOfDoubles(assertStorable(given, META)) : joined;
  return { ...read, content, file_type: fileTypeOf(content), contentPaths };
}

function readPaths(value: unknown): ContentPath[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown) => {
    const [name, path] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const isPair = typeof name === "string" && isFileName(name) && typeof path === "string";
    return isPair ? [{ name, path }] : [];
  });
}
