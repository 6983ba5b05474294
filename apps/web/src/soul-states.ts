import { fromNow } from "./clock.ts";
import type { Soul, SoulVersion } from "./queries.ts";

/** A soul as it is (id 0) or was. */
export interface SoulState {
  /** The snapshot's; 0 for the present. */
  id: number;
  /** "Now", or "Version 3": counted from the oldest that this reader may see. */
  name: string;
  /** How long it stood, in words. */
  when: string;
  title: string;
  description: string;
  content: string;
  content_hidden: boolean;
  file_type: string;
  role: string;
  domain: string;
  compatibility: string;
}

/** The present first, then its snapshots, the newest first. */
export function soulStates(soul: Soul, versions: readonly SoulVersion[]): SoulState[] {
  const former = versions.map(
    (version, at): SoulState => ({
      ...version,
      name: `Version ${versions.length - at}`,
      when: `until ${fromNow(version.edited_at)}`,
      file_type: fileTypeOf(version.content),
    }),
  );
  const now = { ...soul, id: 0, name: "Now", when: `changed ${fromNow(soul.updated_at)}` };
  return former.length > 0 ? [now, ...former] : [];
}

/** Snapshots don't say; a folder that can't be read as one is shown as it is. */
const fileTypeOf = (content: string) =>
  content.trimStart().startsWith("{") ? "full_soul_folder" : "single_md";
