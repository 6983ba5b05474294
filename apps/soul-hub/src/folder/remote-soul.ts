import { hash } from "node:crypto";
import {
  newSoulTexts,
  type PackageFile,
  readSoulFile,
  readZip,
  type SoulState,
} from "@soul-hub/soul-formats";
import { type Hub, readBody } from "../hub/hub.ts";
import { fetchFile } from "../hub/transfer.ts";

/** A soul as the hub has it. */
export interface RemoteSoul {
  state: SoulState;
  /** The files of its export. */
  files: PackageFile[];
  content_sha256: string;
  /** The name of its export without the extension: a folder for it. */
  name: string;
}

/** What the largest soul unpacks to: its package and its content. */
const LIMITS = { maxEntries: 600, maxBytes: 20 * 1024 * 1024 };

/** Reads the soul from its export, which holds everything of its present state (0052). */
export async function readRemote(
  hub: Hub,
  id: number,
  roles: ReadonlySet<string>,
): Promise<RemoteSoul> {
  const { name, body } = await fetchFile(hub, `/api/soul/${id}/export`);
  const bytes = new Uint8Array(await readBody(body.arrayBuffer(), hub.url));
  const read = await readSoulFile(bytes, roles);
  return {
    state: { ...newSoulTexts(read), package: read.package },
    files: await readZip(bytes, LIMITS),
    content_sha256: contentHash(read.content),
    name: name.replace(/\.zip$/, ""),
  };
}

/** The category slugs, which manifests and souls share. */
export async function readRoles({ client }: Hub): Promise<ReadonlySet<string>> {
  const { data } = await client.souls.categories.query();
  return new Set(data.map(({ slug }) => slug));
}

export const contentHash = (content: string): string => hash("sha256", content, "hex");
