import { FormatError } from "../format-error.ts";

const MAX_PATH_BYTES = 240;
const MAX_DEPTH = 8;
/**
 * The folders that the hub puts around the files of a card, and of a soul in an archive, do not
 * count: what an import takes must come back from an export. Nor do those that macOS adds.
 */
const OWN_FOLDER = /^(?:souls\/\d{1,15}\/current\/)?(?:card\/)?(?:__MACOSX\/[^/]+\/)?/;

/**
 * Checks the path of an entry, which may be a folder's with `/` at its end.
 * @throws FormatError for a path that could lead outside of a folder, or that is too long or deep
 */
function assertSafePath(path: string): void {
  const own = path.replace(/\/$/, "").replace(OWN_FOLDER, "");
  const parts = own.split("/");
  const refuse = (message: string) => {
    throw new FormatError(path.slice(0, MAX_PATH_BYTES), message);
  };
  if (/\p{Cc}/u.test(path)) refuse("has a control character in its path");
  if (!path.isWellFormed()) refuse("has a path that is not UTF-8");
  if (path.includes("\\")) refuse("has a backslash in its path");
  if (path.startsWith("/")) refuse("has an absolute path");
  if (/^[A-Za-z]:/.test(path)) refuse("has a path with a drive letter");
  if (parts.some((part) => part === ".." || part === "." || part === "")) {
    refuse("has a path that leads elsewhere");
  }
  if (Buffer.byteLength(own) > MAX_PATH_BYTES)
    refuse(`has a path of more than ${MAX_PATH_BYTES} bytes`);
  if (parts.length > MAX_DEPTH) refuse(`is more than ${MAX_DEPTH} folders deep`);
}

/** What macOS puts beside the folder that it packs. */
const MACOS_FOLDER = "__MACOSX/";

/**
 * The folder that holds everything, with `/` at its end; empty without one. What macOS adds does not
 * count.
 */
export function topFolderOf(paths: readonly string[]): string {
  const own = paths.filter((path) => !path.startsWith(MACOS_FOLDER));
  const [top = ""] = own[0]?.split("/") ?? [];
  const isAround = own.length > 0 && own.every((path) => path.startsWith(`${top}/`));
  return isAround ? `${top}/` : "";
}

/** Reports whether macOS adds a file like this when it packs a folder. */
export const isOfMacos = (path: string): boolean =>
  path.startsWith(MACOS_FOLDER) || /(?:^|\/)\.DS_Store$/.test(path);

export const withoutTop = (path: string, top: string): string =>
  path.startsWith(top) ? path.slice(top.length) : path;

/** Two paths with the same key are the same file where case does not count. */
export const pathKey = (path: string): string =>
  path.replace(/\/$/, "").normalize("NFC").toLowerCase();

/**
 * Checks the paths of all files and folders of one zip or package, folders with `/` at their end.
 * @throws FormatError also for a path that is there twice, and for a file below another file
 */
export function assertPathsFit(paths: readonly string[]): void {
  const known = new Map<string, string>();
  for (const path of paths) {
    assertSafePath(path);
    const key = pathKey(path);
    if (known.has(key)) throw new FormatError(path, "is there twice");
    known.set(key, path);
  }
  for (const path of paths) {
    const parts = path.replace(/\/$/, "").split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      const above = known.get(pathKey(parts.slice(0, depth).join("/")));
      if (above !== undefined && !above.endsWith("/"))
        throw new FormatError(path, "lies below a file");
    }
  }
}
