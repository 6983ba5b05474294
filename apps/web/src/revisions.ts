import { fromNow } from "./clock.ts";
import type { Soul, SoulVersion } from "./queries.ts";
import { isFolder } from "./soul-files.ts";

/** The current text of a soul (id 0) or one of its earlier versions. */
export interface Revision {
  /** The id of the earlier version; 0 for the current text. */
  id: number;
  /**
   * "Now" for the current text, otherwise e.g. "Version 3". The oldest version that the reader can
   * see is version 1.
   */
  name: string;
  /** The time at which the version was current, e.g. "until 3 days ago". */
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

/**
 * Returns the current text, then the earlier versions, newest first. Without earlier versions the
 * list is empty.
 */
export function revisionsOf(soul: Soul, versions: readonly SoulVersion[]): Revision[] {
  const former = versions.map(
    (version, at): Revision => ({
      ...version,
      name: `Version ${versions.length - at}`,
      when: `until ${fromNow(version.edited_at)}`,
      // A stored version has no file type. The page derives it from the content, as the API does.
      file_type: isFolder(version.content) ? "full_soul_folder" : "single_md",
    }),
  );
  const now = { ...soul, id: 0, name: "Now", when: `changed ${fromNow(soul.updated_at)}` };
  return former.length > 0 ? [now, ...former] : [];
}
