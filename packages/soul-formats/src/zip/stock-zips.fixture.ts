import type { PackageFile } from "../soul-state.ts";
import { type RawEntry, rawZip } from "./raw-zip.fixture.ts";

const folderEntry = (path: string): RawEntry => ({ path, method: 0, attributes: 0o040755 });
const fileEntry = ({ path, bytes }: PackageFile): RawEntry => ({
  path,
  content: Buffer.from(bytes),
});

/** The folders of files, each with `/` at its end, outer ones first. */
function foldersOf(files: readonly PackageFile[]): string[] {
  const folders = files.flatMap(({ path }) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, depth) => `${parts.slice(0, depth + 1).join("/")}/`);
  });
  return [...new Set(folders)].sort();
}

const below = (top: string, files: readonly PackageFile[]): PackageFile[] =>
  files.map(({ path, bytes }) => ({ path: top + path, bytes }));

const folders = (files: readonly PackageFile[]) => foldersOf(files).map(folderEntry);

/** How stock programs pack the files of a folder. */
export const stockZips: Readonly<Record<string, (files: readonly PackageFile[]) => Buffer>> = {
  "zip -r of what is in the folder": (files) =>
    rawZip([...folders(files), ...files.map(fileEntry)].map(unmarked)),
  "zip -r of the folder": (files) => {
    const inFolder = below("orla-1/", files);
    return rawZip([...folders(inFolder), ...inFolder.map(fileEntry)].map(unmarked));
  },
  macOS: (files) => {
    const inFolder = below("orla 1/", files);
    const beside = below("__MACOSX/orla 1/._", files.slice(0, 1));
    const added = [{ path: "orla 1/.DS_Store", bytes: Buffer.from("Bud1") }, ...beside];
    return rawZip([...folders(inFolder), ...[...inFolder, ...added].map(fileEntry)].map(unmarked));
  },
  "7-Zip": (files) => rawZip([...files.map(fileEntry), ...folders(files)]),
  Python: (files) => rawZip([...folders(files), ...files.map(fileEntry)]),
  bsdtar: (files) => {
    const inFolder = below("./", files);
    return rawZip([...folders(inFolder), ...inFolder.map(fileEntry)]);
  },
};

function unmarked(entry: RawEntry): RawEntry {
  return { ...entry, isMarkedUtf8: false };
}
