import { fileNameProblem, limits, type SoulFile } from "./soul-files.ts";

/** The readable files that the user dropped or chose, and the rejected files with their reasons. */
export interface TakenFiles {
  files: SoulFile[];
  /**
   * The rejected files. `reason` completes a sentence that starts with `name`: "photo.png is not a
   * text file".
   */
  leftOut: Array<{ name: string; reason: string }>;
}

interface RawFile {
  /** The file's path. It begins with the dropped or chosen folder, e.g. `soul/SOUL.md`. */
  path: string;
  read(): Promise<Uint8Array>;
}

/**
 * The maximum size of a file in bytes. The API limits characters, and UTF-8 uses up to four bytes
 * for each.
 */
const MAX_FILE_BYTES = limits.content * 4;
const MAX_ZIP_BYTES = 20 * 1024 * 1024;
/** The maximum number of entries that are read from a folder or zip, system files included. */
const MAX_ENTRIES = limits.files * 10;
/** Matches files that operating systems and editors create in folders. */
const SYSTEM_FILES = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/;

/** Reads single files, folders and .zip files as the files of a soul. */
export async function takeFiles(given: readonly RawFile[]): Promise<TakenFiles> {
  const taken: TakenFiles = { files: [], leftOut: [] };
  for (const file of given) {
    const inside = /\.zip$/i.test(file.path) ? await unzip(file, taken.leftOut) : [file];
    for (const one of inside) {
      if (!SYSTEM_FILES.test(one.path)) await takeOne(one, taken);
    }
  }
  return taken;
}

async function takeOne({ path, read }: RawFile, { files, leftOut }: TakenFiles): Promise<void> {
  const name = path.split("/").at(-1) ?? path;
  const refuse = (reason: string) => void leftOut.push({ name: path, reason });
  if (fileNameProblem(name, [])) return refuse("has an unsupported name");
  if (files.some((file) => file.name === name)) return refuse("has the same name as another file");
  if (files.length === limits.files) return refuse(`exceeds the limit of ${limits.files} files`);
  const bytes = await read();
  if (bytes.length > MAX_FILE_BYTES) return refuse("is too large");
  const text = decode(bytes);
  if (text === undefined) return refuse("is not a text file");
  files.push({ name, text });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text.replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

/** Returns the files in a .zip file; none if the .zip file is too large or cannot be opened. */
async function unzip({ path, read }: RawFile, leftOut: TakenFiles["leftOut"]): Promise<RawFile[]> {
  const refuse = (reason: string) => {
    leftOut.push({ name: path, reason });
    return [];
  };
  const bytes = await read();
  if (bytes.length > MAX_ZIP_BYTES) return refuse("is too large");
  // fflate's asynchronous variant starts workers, which the content security policy forbids.
  const { unzipSync } = await import("fflate");
  let count = 0;
  let sum = 0;
  const isOverLimit = () => count > MAX_ENTRIES || sum > MAX_ZIP_BYTES;
  // fflate calls the filter before it unpacks an entry, and never unpacks more than `originalSize`.
  const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (name.endsWith("/") || isOverLimit()) return false;
    count++;
    if (originalSize > MAX_FILE_BYTES) {
      leftOut.push({ name, reason: "is too large" });
      return false;
    }
    sum += originalSize;
    return !isOverLimit();
  };
  try {
    const entries = Object.entries(unzipSync(bytes, { filter }));
    if (isOverLimit()) return refuse("holds too many files or too much text");
    return entries.map(([inner, content]) => ({ path: inner, read: async () => content }));
  } catch {
    return refuse("could not be opened");
  }
}

/**
 * Returns the files chosen in an input. The path of a file in a chosen folder includes the folder.
 */
export const chosenFiles = (list: readonly File[]): RawFile[] =>
  list.map((file) => rawFile(file, file.webkitRelativePath || file.name));

/**
 * Returns the dropped files, those in dropped folders included. The event's data expires with its
 * event handler, so it is read at once.
 */
export function droppedFiles(data: DataTransfer): Promise<RawFile[]> {
  const entries = [...data.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((it) => it !== null);
  return Promise.all(entries.map(filesIn)).then((lists) => lists.flat());
}

async function filesIn(entry: FileSystemEntry): Promise<RawFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [rawFile(file, entry.fullPath.replace(/^\//, ""))];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside: RawFile[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return inside;
    for (const one of some) inside.push(...(await filesIn(one)));
    // Stops reading a folder that exceeds the limit, because a dropped folder may be a whole disk.
    if (inside.length > MAX_ENTRIES) return inside;
  }
}

const rawFile = (file: File, path: string): RawFile => ({
  path,
  // Reads at most one byte more than the limit, which is enough to detect a file that is too large.
  read: async () => new Uint8Array(await file.slice(0, MAX_ZIP_BYTES + 1).arrayBuffer()),
});
