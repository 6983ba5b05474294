import type { SoulVersion } from "./queries.ts";
import { readSoulFiles } from "./soul-files.ts";

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
  save(`${folder}.zip`, new Blob([zipSync(Object.fromEntries(files))]));
}

/** Saves the `data` of GET /api/version, which the tools that verify a signature read (0036). */
export const saveSignature = (version: SoulVersion): void =>
  save(`${downloadName(version)}.json`, new Blob([JSON.stringify(version, null, 2)]));

/** Time in milliseconds after which a started download no longer needs its address. */
const REVOKE_AFTER_MS = 60_000;

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}
