import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "@soul-hub/program";
import { assertNoLink } from "./write-folder.ts";

/** What ties a folder or a file to a soul: `.soul-hub.json`. */
export interface Link {
  /** The origin of the hub. */
  hub: string;
  soul_id: number;
  /** `content_sha256` of the soul when it was pulled or published last. */
  base_sha256: string;
}

export const LINK_FILE = ".soul-hub.json";

/**
 * A folder holds its link. The link of a single file lies beside it.
 * @throws Failure `folder_in_use` for a symbolic link, which could lead out of a folder of others
 */
async function linkFileOf(place: string): Promise<string> {
  const isFolder = (await stat(place)).isDirectory();
  const file = isFolder ? path.join(place, LINK_FILE) : `${place}${LINK_FILE}`;
  await assertNoLink(path.dirname(file), path.basename(file));
  return file;
}

/**
 * Reads the link of a folder or file; null without one.
 * @throws Failure `bad_arguments` for a damaged link, and for one of another hub: the key of this hub
 *   must not go where a folder of others says
 */
export async function readLink(place: string, hub: string): Promise<Link | null> {
  const file = await linkFileOf(place);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const link = parseLink(text);
  if (!link) throw new Failure("bad_arguments", `${file} is damaged. Delete it to begin anew.`);
  if (link.hub === hub) return link;
  const message = `${place} belongs to ${link.hub}, and this command calls ${hub}. Set SOUL_HUB_URL.`;
  throw new Failure("bad_arguments", message);
}

function parseLink(text: string): Link | undefined {
  try {
    const { hub, soul_id, base_sha256 } = JSON.parse(text);
    const isLink =
      typeof hub === "string" &&
      Number.isSafeInteger(soul_id) &&
      /^[0-9a-f]{64}$/.test(base_sha256);
    return isLink ? { hub, soul_id, base_sha256 } : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Failure `bad_arguments` without a link */
export async function requireLink(place: string, hub: string): Promise<Link> {
  const link = await readLink(place, hub);
  if (link) return link;
  const message = `${place} belongs to no soul yet. Pull one, or publish it.`;
  throw new Failure("bad_arguments", message);
}

export const writeLink = async (place: string, link: Link): Promise<void> =>
  writeFile(await linkFileOf(place), `${JSON.stringify(link, null, 2)}\n`);
