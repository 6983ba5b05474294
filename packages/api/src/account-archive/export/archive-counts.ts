import type { ArchiveManifest } from "../archive-format.ts";

/** What an archive contains so far. */
export type ArchiveCounts = ArchiveManifest["counts"] & { unchecked: number };

export const noCounts = (): ArchiveCounts => ({
  souls: 0,
  versions: 0,
  rooms: 0,
  lines: 0,
  likes: 0,
  ratings: 0,
  unchecked: 0,
});
