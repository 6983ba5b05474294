import { CARD_JSON, CARD_PNG, decodeCardJson } from "../card/card-text.ts";
import { readCard, soulOfCard } from "../card/read-card.ts";
import { titleFrom } from "../cut-fields.ts";
import { FormatError } from "../format-error.ts";
import { member, readJsonObject } from "../json/read-json.ts";
import { splitFrontMatter } from "../markdown/front-matter.ts";
import { soulOfMarkdown } from "../markdown/soul-markdown.ts";
import {
  byFileName,
  filesOf,
  fileTypeOf,
  isFileName,
  joinFiles,
  MAIN_FILE,
  MAX_FILES,
} from "../soul-files.ts";
import {
  type ExportNames,
  fieldNames,
  type ImportedSoul,
  type ImportWarning,
  newSoulTexts,
  type PackageFile,
  type SoulState,
} from "../soul-state.ts";
import { bytesOf, firstHeading, sha256, textOf } from "../text.ts";
import { isGenerated, MANIFEST, manifestFields, newManifest, updatedManifest } from "./manifest.ts";
import { applyMeta, type ContentPath, META, META_CONTENT, writeMeta } from "./zip-meta.ts";
import { assertPathsFit, pathKey, topFolderOf, withoutTop } from "./zip-path.ts";

/** The file of a package that holds the name of a single content file other than SOUL.md. */
const MAIN_FILE_NAME = ".soul-hub/main-file";
/** The file of a package that holds the front matter of its SKILL.md, which is no content. */
const SKILL_FRONT_MATTER = ".soul-hub/skill-front-matter";
const SKILL = "SKILL.md";
const OWN_FILES = new Set([META, MAIN_FILE_NAME, SKILL_FRONT_MATTER]);
const OWN_FOLDER = ".soul-hub/";
const CARD_FOLDER = "card/";
const ABOUT = /^(?:readme|license|licence|changelog)\./i;
const TEXT_FILE = /\.(?:md|txt)$/i;
/** Reports whether an export adds this file to what a soul has. */
export const isOwnFile = (path: string): boolean =>
  path === MANIFEST || path.startsWith(OWN_FOLDER);

/** Names at the root of a zip that say what the zip is. */
const TELLING = new Set([MANIFEST, "card.json", "manifest.json"]);
/** The same in any letter case, also as folders: an export has no manifest beside `Soul.json`. */
const TELLING_KEYS = new Set([MANIFEST, pathKey(MAIN_FILE), pathKey(SKILL)]);

/**
 * Reads the files of a zip as a soul.
 * @param roles the category slugs
 * @throws FormatError
 */
export function soulOfFiles(
  given: readonly PackageFile[],
  roles: ReadonlySet<string>,
): ImportedSoul {
  const top = topFolderOf(given.map(({ path }) => path));
  const warnings: ImportWarning[] = [];
  const plain = given.map(({ path, bytes }) => ({ path: withoutTop(path, top), bytes }));
  const card = plain.find(({ path }) => path === "card.json");
  const files = card ? plain : withSkillSplit(plain, warnings);
  // What macOS adds can meet the same path below the folder that is stripped.
  assertPathsFit(files.map(({ path }) => path));
  const byPath = new Map(files.map(({ path, bytes }) => [path, bytes]));
  refuseArchive(byPath.get("manifest.json"));
  return card ? soulOfCharx(files, card.bytes) : soulOfPackage(files, byPath, roles, warnings);
}

/** Reports whether the files of a zip are a soul by their names: a package, a CHARX or an archive. */
export function isNamedSoul(given: readonly PackageFile[]): boolean {
  const top = topFolderOf(given.map(({ path }) => path));
  const paths = given.map(({ path }) => withoutTop(path, top));
  return paths.some((path) => {
    const [root = ""] = pathKey(path).split("/");
    return TELLING.has(path) || path === META || TELLING_KEYS.has(root);
  });
}

const textAt = (files: readonly PackageFile[], path: string): string | null => {
  const file = files.find((each) => each.path === path);
  return file ? textOf(file.bytes) : null;
};

/**
 * Parts the front matter of a skill from its text, so that a skill in a zip is read like one alone.
 * One whose whole text is content of an export stays as it is.
 */
function withSkillSplit(
  files: readonly PackageFile[],
  warnings: ImportWarning[],
): readonly PackageFile[] {
  const text = textAt(files, SKILL);
  if (text === null || textAt(files, META)?.includes(sha256(text))) return files;
  const found: ImportWarning[] = [];
  const body = splitFrontMatter(text, found)?.body;
  if (body === undefined) {
    warnings.push(...found.map(({ message }) => ({ path: SKILL, message })));
    return files;
  }
  const others = files.filter(({ path }) => path !== SKILL && path !== SKILL_FRONT_MATTER);
  const frontMatter = text.slice(0, text.length - body.length);
  return [
    ...others,
    { path: SKILL, bytes: bytesOf(body) },
    { path: SKILL_FRONT_MATTER, bytes: bytesOf(frontMatter) },
  ];
}

/** Puts the front matter of a skill back before its text. */
function withSkillJoined(files: readonly PackageFile[]): PackageFile[] {
  const [body, frontMatter] = [textAt(files, SKILL), textAt(files, SKILL_FRONT_MATTER)];
  const text = `${frontMatter}${body}`;
  if (body === null || frontMatter === null || splitFrontMatter(text)?.body !== body) {
    return [...files];
  }
  return files
    .filter(({ path }) => path !== SKILL_FRONT_MATTER)
    .map((file) => (file.path === SKILL ? { path: SKILL, bytes: bytesOf(text) } : file));
}

/** What the front matter of a skill says beside its text. */
function skillOf(files: readonly PackageFile[]): ImportedSoul | null {
  const [body, frontMatter] = [textAt(files, SKILL), textAt(files, SKILL_FRONT_MATTER)];
  return body === null || frontMatter === null ? null : soulOfMarkdown(frontMatter + body);
}

/** The `format` of the manifest in the archive of an account. */
export const ARCHIVE_FORMAT = "soul-hub-archive";

function refuseArchive(manifest: Uint8Array | undefined): void {
  const text = manifest && textOf(manifest);
  if (!text?.includes(ARCHIVE_FORMAT)) return;
  if (member(readJsonObject(text, "manifest.json"), "format") === ARCHIVE_FORMAT) {
    throw new FormatError("manifest.json", "is the archive of an account; use /api/import");
  }
}

function soulOfCharx(files: readonly PackageFile[], card: Uint8Array): ImportedSoul {
  const soul = soulOfCard(readCard(decodeCardJson(card, "card.json"), "card.json"), "card.json");
  const kept = files.map(({ path, bytes }) => ({ path: CARD_FOLDER + path, bytes }));
  return {
    ...soul,
    format: "charx",
    package: kept,
    files: files.map((file) => ({ ...file, kept: "package" })),
  };
}

function soulOfPackage(
  files: readonly PackageFile[],
  byPath: ReadonlyMap<string, Uint8Array>,
  roles: ReadonlySet<string>,
  warnings: ImportWarning[],
): ImportedSoul {
  for (const { path } of files) assertNotReserved(path);
  const natural = naturalContent(files, warnings);
  const skill = skillOf(files);
  const manifestBytes = byPath.get(MANIFEST);
  const manifest = manifestBytes ? textOf(manifestBytes) : null;
  const plain = {
    ...(natural.length > 0 ? contentOf(natural) : { content: "", file_type: "single_md" as const }),
    fields: { ...skill?.fields, ...manifestFields(manifest, roles, warnings) },
    contentPaths: natural.map(({ path }) => ({ name: path, path })),
  };
  const read = applyMeta(plain, byPath);
  for (const { message } of skill?.warnings ?? []) warnings.push({ path: SKILL, message });
  if (read.contentPaths.length === 0) {
    throw new FormatError("", "has no Markdown or text file at its root, and no character card");
  }
  const contentPaths = new Set(read.contentPaths.map(({ path }) => path));
  const isOwn = (path: string) =>
    path === META || (path === MANIFEST && manifest !== null && isGenerated(manifest));
  const [only] = read.contentPaths;
  const isNamed =
    read.file_type === "single_md" &&
    only !== undefined &&
    only.path !== MAIN_FILE &&
    contentPaths.size === 1;
  const kept = files.filter(
    ({ path }) =>
      !contentPaths.has(path) && !isOwn(path) && !(isNamed && pathKey(path) === MAIN_FILE_NAME),
  );
  if (isNamed) kept.push({ path: MAIN_FILE_NAME, bytes: bytesOf(only.path) });
  return {
    format: "zip",
    content: read.content,
    file_type: read.file_type,
    fields: read.fields,
    fallbackTitle:
      skill?.fallbackTitle ??
      titleFrom(firstHeading(Object.values(filesOf(read))[0] ?? "") ?? "", "Imported soul"),
    package: kept,
    files: files.map((file) => ({
      ...file,
      kept: contentPaths.has(file.path) ? "content" : "package",
    })),
    warnings,
  };
}

/**
 * Refuses a file that takes a name in the hub's own folder. An export writes its own files there.
 * @throws FormatError
 */
function assertNotReserved(path: string): void {
  const isAbove = pathKey(path) === OWN_FOLDER.slice(0, -1);
  const isKnown = OWN_FILES.has(path) || path.startsWith(META_CONTENT);
  if (isAbove || (pathKey(path).startsWith(OWN_FOLDER) && !isKnown)) {
    throw new FormatError(path, `takes a name of the hub's own folder ${OWN_FOLDER}`);
  }
}

interface NaturalFile {
  path: string;
  text: string;
}

/** The text files at the root of a zip that are content by their names. */
function naturalContent(files: readonly PackageFile[], warnings: ImportWarning[]): NaturalFile[] {
  const found = files.flatMap(({ path, bytes }): NaturalFile[] => {
    if (!isNatural(path)) return [];
    const text = textOf(bytes);
    if (text !== null) return [{ path, text }];
    warnings.push({ path, message: "is not UTF-8 text and stays in the package" });
    return [];
  });
  const sorted = found.sort((a, b) => byFileName(a.path, b.path));
  for (const { path } of sorted.slice(MAX_FILES)) {
    warnings.push({ path, message: `is beyond ${MAX_FILES} files and stays in the package` });
  }
  return sorted.slice(0, MAX_FILES);
}

const isNatural = (path: string) => TEXT_FILE.test(path) && !ABOUT.test(path) && isFileName(path);

function contentOf(files: readonly NaturalFile[]) {
  const [first] = files;
  const content =
    files.length === 1
      ? (first?.text ?? "")
      : joinFiles(files.map(({ path, text }) => [path, text]));
  return { content, file_type: fileTypeOf(content) };
}

/** Lays a soul out as the files of a Soul Spec package. */
export const filesOfSoul = (soul: SoulState, names: ExportNames): PackageFile[] =>
  withSkillJoined(plainFilesOf(soul, names));

function plainFilesOf(soul: SoulState, names: ExportNames): PackageFile[] {
  const mainName = soul.package.find(({ path }) => path === MAIN_FILE_NAME);
  const isMainNamed = soul.file_type === "single_md" && mainName !== undefined;
  const kept = soul.package.filter((file) => !(isMainNamed && file === mainName));
  const taken = new Set(kept.flatMap(({ path }) => withFolders(pathKey(path))));
  const contents = isMainNamed
    ? [[textOf(mainName.bytes) ?? MAIN_FILE, soul.content] as const]
    : Object.entries(filesOf(soul));
  const paths: ContentPath[] = [];
  const files: PackageFile[] = [];
  let number = 0;
  const nextFree = () => {
    do number++;
    while (taken.has(`${META_CONTENT}${number}`));
    return `${META_CONTENT}${number}`;
  };
  for (const [name, text] of contents) {
    const isFree = isFileName(name) && !TELLING.has(pathKey(name)) && !taken.has(pathKey(name));
    const path = isFree ? name : nextFree();
    taken.add(pathKey(path));
    paths.push({ name: isFileName(name) ? name : MAIN_FILE, path });
    files.push({ path, bytes: bytesOf(text) });
  }
  files.push(...kept);
  const hasManifest = kept.some(({ path }) => path === MANIFEST);
  // A folder or a file like Soul.json leaves no room for the manifest. The meta file says it all.
  if (!hasManifest && taken.has(MANIFEST)) return withMeta(soul, files, paths, names);
  if (!hasManifest) {
    const text = newManifest(
      soul,
      names,
      paths.map(({ path }) => path),
    );
    return withMeta(soul, [...files, { path: MANIFEST, bytes: bytesOf(text) }], paths, names);
  }
  return withMeta(soul, withUpdatedManifest(soul, files, names), paths, names);
}

/** A path and the folders above it. */
const withFolders = (path: string): string[] =>
  path.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));

function withUpdatedManifest(
  soul: SoulState,
  files: readonly PackageFile[],
  { roles }: ExportNames,
): readonly PackageFile[] {
  const plain = yielded(files, roles);
  if (!plain) return files;
  return files.map((file) => {
    const text = file.path === MANIFEST ? textOf(file.bytes) : null;
    return text === null
      ? file
      : { path: MANIFEST, bytes: bytesOf(updatedManifest(text, soul, plain)) };
  });
}

const textNames = ["content", ...fieldNames] as const;
/** Texts that equal those of no soul, where the files yield none. */
const NOTHING = Object.fromEntries(textNames.map((name) => [name, "\0"]));

/** Adds a meta file where the files do not yield the soul. */
function withMeta(
  soul: SoulState,
  files: readonly PackageFile[],
  paths: readonly ContentPath[],
  { roles }: ExportNames,
): PackageFile[] {
  const read = yielded(files, roles);
  if (read && textNames.every((name) => read[name] === soul[name])) return [...files];
  return [...files, writeMeta(soul, read ?? { ...soul, ...NOTHING }, paths, files)];
}

/** What the files of an export yield; null if they yield no soul by themselves. */
function yielded(files: readonly PackageFile[], roles: ReadonlySet<string>) {
  try {
    return newSoulTexts(soulOfFiles(files, roles));
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}

/** Finds the file that holds the card of a package, whose texts may contain macros. */
export const cardFileOf = <File extends { path: string }>(
  files: readonly File[],
): File | undefined =>
  files.find(({ path }) => path === CARD_JSON) ?? files.find(({ path }) => path === CARD_PNG);
