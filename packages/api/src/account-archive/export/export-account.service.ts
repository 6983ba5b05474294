import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { ARCHIVE_FORMAT, type StreamedFile, streamZip } from "@soul-hub/soul-formats";
import type { AccountContext } from "../../caller/caller.ts";
import { assertMayRead } from "../../caller/own-data.ts";
import { HubError } from "../../errors.ts";
import { fileTime } from "../../file-time.ts";
import {
  ARCHIVE_VERSION,
  type ArchiveCounts,
  type ArchiveManifest,
  eachCount,
} from "../archive-format.ts";
import { accountFiles, markFiles } from "./account-files.ts";
import { jsonFile } from "./json-bytes.ts";
import { roomFiles } from "./room-files.ts";
import { soulFiles } from "./soul-files.ts";

declare module "../../context.ts" {
  interface Hub {
    /** The accounts whose archive this server is writing. */
    exportingAccounts: Set<number>;
  }
}

export type ArchivePart = "souls" | "chats" | "social";

const RETRY_SECONDS = 60;

/**
 * Streams the archive of the caller's account (0053). One runs at a time for each account.
 * @throws HubError `scope_missing` of the account or a part; `rate_limited` while another one runs
 */
export async function exportAccount(ctx: AccountContext, include: readonly ArchivePart[]) {
  assertMayRead(ctx.caller, "account", ...include);
  const { exportingAccounts } = ctx.hub;
  const { id, username } = ctx.caller.account;
  if (exportingAccounts.has(id)) throw new HubError("rate_limited", { retryAfter: RETRY_SECONDS });
  exportingAccounts.add(id);
  const stream: Readable = streamZip(archiveFiles(ctx, include));
  stream.once("close", () => exportingAccounts.delete(id));
  return {
    name: `soul-hub-${username.replaceAll(/[^\w-]/g, "")}-${fileTime()}.zip`,
    mediaType: "application/zip",
    bytes: stream,
  };
}

async function* archiveFiles(
  ctx: AccountContext,
  include: readonly ArchivePart[],
): AsyncGenerator<StreamedFile> {
  const counts = { ...eachCount(() => 0), unchecked: 0 };
  const written: ArchiveManifest["files"] = [];
  for await (const { path, pieces } of partsOf(ctx, include, counts)) {
    yield { path, pieces: measured(path, pieces, written) };
  }
  const { unchecked, ...contained } = counts;
  const manifest = {
    format: ARCHIVE_FORMAT,
    v: ARCHIVE_VERSION,
    hub_id: ctx.hub.database.id,
    hub: ctx.hub.config.baseUrl,
    username: ctx.caller.account.username,
    exported_at: new Date().toISOString().slice(0, 19).replace("T", " "),
    counts: contained,
    unchecked,
    files: written,
  };
  yield { path: "manifest.json", pieces: [jsonFile(manifest)] };
}

async function* partsOf(
  ctx: AccountContext,
  include: readonly ArchivePart[],
  counts: ArchiveCounts,
): AsyncGenerator<StreamedFile> {
  yield* accountFiles(ctx);
  if (include.includes("souls")) yield* soulFiles(ctx, counts);
  if (include.includes("chats")) yield* roomFiles(ctx, counts);
  if (include.includes("social")) yield* markFiles(ctx, counts);
}

/** Passes the pieces of a file on, and notes its size and hash once it is whole. */
async function* measured(
  path: string,
  pieces: StreamedFile["pieces"],
  written: ArchiveManifest["files"],
): AsyncGenerator<Uint8Array> {
  const sum = createHash("sha256");
  let size = 0;
  for await (const piece of pieces) {
    sum.update(piece);
    size += piece.length;
    yield piece;
  }
  written.push({ path, size, sha256: sum.digest("hex") });
}
