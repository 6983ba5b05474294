import { stat } from "node:fs/promises";
import { type IncomingMessage, get as overHttp } from "node:http";
import { get as overHttps } from "node:https";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "@soul-hub/program";
import { z } from "zod";
import { assertOwnHub, noValidResponse, tokenRefused } from "../ask-hub.ts";
import type { Environment } from "../env.ts";
import { findHub, type HubLocation } from "../find-hub.ts";
import type { Command } from "../report.ts";

const STDOUT = "-";
const RETRY_MS = 2_000;
const MAX_WAIT_MS = 3_600_000;
const WAITS =
  "Another backup is running, perhaps the scheduled one. This one starts when that one has ended.";
const LATE = "Another backup has been running for an hour.";
const NO_KEYS =
  "This backup contains no keys. Store MASTER_KEYS elsewhere: without them, the stored secrets can't be read.";

/**
 * Writes a backup of the running hub to a file with mode 0600, or to stdout. A backup that breaks
 * off leaves no file. A hub writes one backup at a time, so this one waits for another.
 * @throws Failure `no_hub`, `token_refused`, and `backup_running` after an hour
 */
export const backUp =
  (given: string | undefined, { withoutKeys = false }: { withoutKeys?: boolean }): Command =>
  async (env: Environment, note) => {
    const { fileTime, writeWhole } = await import("@soul-hub/api/operator");
    const location = await findHub(env);
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    let archive = await openBackup(location, withoutKeys);
    if (!archive) note(WAITS);
    while (!archive) {
      if (performance.now() > giveUpAt) throw new Failure("backup_running", LATE);
      await sleep(RETRY_MS);
      archive = await openBackup(location, withoutKeys);
    }
    const notes = archive.headers["backup-keys"] === "none" ? [NO_KEYS] : [];
    if (given === STDOUT) {
      await pipeline(archive, process.stdout, { end: false });
      return { notes };
    }
    const file = given ?? `soul-hub-${fileTime()}.hub`;
    await writeWhole(file, archive);
    const { size: bytes } = await stat(file);
    const done = `Wrote ${file} (${bytes} bytes). Check it with the command verify.`;
    return { json: { file, bytes }, lines: [done, ...notes] };
  };

const refusal = z.object({ error: z.string(), message: z.string() });

/** @returns null while another backup runs */
async function openBackup(
  location: HubLocation,
  withoutKeys: boolean,
): Promise<IncomingMessage | null> {
  await assertOwnHub(location);
  const url = new URL("/api/admin/backup", location.baseUrl);
  if (withoutKeys) url.searchParams.set("keys", "without");
  const response = await get(url, location).catch((cause: unknown) => {
    throw noValidResponse(location, cause);
  });
  if (response.statusCode === 200) return response;
  if (response.statusCode === 404) {
    response.resume();
    throw tokenRefused(location);
  }
  const { data, error } = refusal.safeParse(await json(response).catch(() => undefined));
  if (!data) throw noValidResponse(location, error);
  if (data.error === "backup_running") return null;
  throw new Failure(data.error, data.message);
}

/**
 * Sends a GET request, and waits for the response as long as the connection lives. A hub copies its
 * embedded database before it responds, and `fetch` gives up after 300 s.
 */
const get = (url: URL, { token }: HubLocation) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.protocol === "https:" ? overHttps : overHttp;
    send(url, { headers: { authorization: `Bearer ${token}` } }, resolve).once("error", reject);
  });
