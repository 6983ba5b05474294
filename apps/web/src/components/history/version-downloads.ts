import type { SoulVersion } from "../../queries.ts";
import { saveFile } from "../../save-file.ts";
import { readSoulFiles } from "../../soul-files.ts";

/** The name of a version's folder, and of its signature file without ".json". */
export const downloadName = ({ soul_id, number }: SoulVersion) => `soul-${soul_id}-v${number}`;

/** Saves the files of a version as a .zip file with one folder. */
export async function saveFiles(version: SoulVersion): Promise<void> {
  const { strToU8, zipSync } = await import("fflate");
  const folder = downloadName(version);
  const files = readSoulFiles(version).map(({ name, text }) => [
    `${folder}/${name}`,
    strToU8(text),
  ]);
  saveFile(`${folder}.zip`, new Blob([zipSync(Object.fromEntries(files))]));
}

/** Saves the `data` of GET /api/version, which the tools that verify a signature read (0036). */
export const saveSignature = (version: SoulVersion): void =>
  saveFile(`${downloadName(version)}.json`, new Blob([JSON.stringify(version, null, 2)]));
