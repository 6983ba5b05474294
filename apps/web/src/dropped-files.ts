import { fileNameProblem, limits, type SoulFile } from "./soul-files.ts";

/** Files that were dropped or chosen, and what could not be taken, with the reason. */
export interface TakenFiles {
  files: SoulFile[];
  leftOut: Array<{ name: string; reason: string }>;
}

interface RawFile {
  /** Path inside what was dropped. */
  path: string;
  read(): Promise<Uint8Array>;
}

/** UTF-8 takes up to four bytes a character. */
const MAX_FILE_BYTES = limits.content * 4;
const MAX_ZIP_BYTES = 20 * 1024 * 1024;
/** What systems and editors leave in folders. */
const REMAINS = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/;

/** Reads single files, folders and .zip files as the files of a soul. */
export async function takeFiles(given: readonly RawFile[]): Promise<TakenFiles> {
  const unpacked = await Promise.all(
    given.map((file) => (/\.zip$/i.test(file.path) ? unzip(file) : { raw: [file], leftOut: [] })),
  );
  const taken: TakenFiles = { files: [], leftOut: unpacked.flatMap(({ leftOut }) => leftOut) };
  for (const file of unpacked.flatMap(({ raw }) => raw)) {
    if (REMAINS.test(file.path)) continue;
    await takeOne(file, taken);
  }
  return taken;
}

async function takeOne({ path, read }: RawFile, { files, leftOut }: TakenFiles): Promise<void> {
  const name = path.split("/").at(-1) ?? path;
  const refuse = (reason: string) => void leftOut.push({ name: path, reason });
  if (fileNameProblem(name, [])) return refuse("its name can't be used");
  if (files.some((file) => file.name === name)) return refuse("there is another of that name");
  if (files.length === limits.files) return refuse(`more than ${limits.files} files`);
  const bytes = await read();
  if (bytes.length > MAX_FILE_BYTES) return refuse("too large");
  const text = decode(bytes);
  if (text === undefined) return refuse("no text");
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

async function unzip({ path, read }: RawFile) {
  const refused = (reason: string) => ({ raw: [], leftOut: [{ name: path, reason }] });
  const bytes = await read();
  if (bytes.length > MAX_ZIP_BYTES) return refused("too large");
  const { unzip } = await import("fflate");
  const leftOut: TakenFiles["leftOut"] = [];
  return new Promise<{ raw: RawFile[]; leftOut: TakenFiles["leftOut"] }>((resolve) => {
    // Asked before anything is unpacked: a small file may claim to hold gigabytes.
    const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
      if (name.endsWith("/")) return false;
      if (originalSize <= MAX_FILE_BYTES) return true;
      leftOut.push({ name, reason: "too large" });
      return false;
    };
    unzip(bytes, { filter }, (error, entries) => {
      if (error) return resolve(refused("it can't be unpacked"));
      const raw = Object.entries(entries).map(([inner, content]) => ({
        path: inner,
        read: async () => content,
      }));
      resolve({ raw, leftOut });
    });
  });
}

/** From an input of files; a chosen folder gives its files with their paths. */
export const chosenFiles = (list: FileList): RawFile[] =>
  [...list].map((file) => rawFile(file, file.webkitRelativePath || file.name));

/** From a drop, folders included. To be called in the event itself: its data is gone afterwards. */
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
    // A whole disk dropped by mistake.
    if (inside.length > limits.files * 10) return inside;
  }
}

const rawFile = (file: File, path: string): RawFile => ({
  path,
  // Not read where it is too large anyway; one byte more than allowed says so.
  read: async () => new Uint8Array(await file.slice(0, MAX_ZIP_BYTES + 1).arrayBuffer()),
});
