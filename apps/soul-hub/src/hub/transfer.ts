import { createWriteStream, existsSync, openAsBlob } from "node:fs";
import { rename, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Failure } from "@soul-hub/program";
import { temporary } from "../temporary.ts";
import { accepted, type Hub, noHub, readAnswer } from "./hub.ts";

/** What POST /api/souls/import answers. */
export interface ImportAnswer {
  message: string;
  id: number | null;
  url: string | null;
  changed: boolean;
  format: string;
  files: { path: string; size: number; sha256: string; kept: "content" | "package" }[];
  warnings: { path: string; message: string }[];
}

export const warningNotes = ({ warnings }: Pick<ImportAnswer, "warnings">): string[] =>
  warnings.map(({ path: name, message }) => `${name || "The file"} ${message}.`);

interface ImportQuery {
  dry_run: boolean;
  is_public: boolean;
  soul_id?: number;
  expected_sha256?: string;
}

/** Only a Markdown may begin like JSON or a web page. The place of a file may be an address. */
export const isMarkdownFile = (place: string): boolean =>
  /\.(?:md|mdc|markdown|txt)(?:[?#]|$)/i.test(place);

/** Sends a file to POST /api/souls/import. */
export async function sendSoul(
  hub: Hub,
  place: string,
  bytes: Uint8Array<ArrayBuffer>,
  query: ImportQuery,
): Promise<ImportAnswer> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) params.set(name, String(value));
  const response = await hub.send(`/api/souls/import?${params}`, {
    method: "POST",
    headers: {
      "content-type": isMarkdownFile(place) ? "text/markdown" : "application/octet-stream",
    },
    body: bytes,
  });
  return readAnswer<ImportAnswer>(response, hub.url);
}

/** Sends a file on disk as it is, without reading it into memory. */
export const sendFile = async (hub: Hub, address: string, file: string): Promise<Response> =>
  hub.send(address, {
    method: "POST",
    headers: { "content-type": "application/zip" },
    body: await openAsBlob(file),
  });

/** A file that the hub sends: its name, which is safe in any folder, and its bytes. */
interface SentFile {
  name: string;
  body: Response;
}

/** @throws Failure `no_hub` for a page of another server, which names no file */
export async function fetchFile(hub: Hub, address: string): Promise<SentFile> {
  const body = await accepted(await hub.send(address), hub.url);
  const given = body.headers.get("content-disposition") ?? "";
  const [, name] = /filename="([\w-][\w.-]{0,120})"/.exec(given) ?? [];
  if (name) return { name, body };
  await body.body?.cancel();
  throw noHub(hub.url, given);
}

/**
 * Saves a file. A download that breaks off leaves none, and no other file is replaced.
 * @param check looks at the whole file before it gets its name
 * @returns the size in bytes
 * @throws Failure `file_exists`, `download_failed`
 */
export async function saveFile(
  { body }: SentFile,
  file: string,
  { mode = 0o644, check = async (_draft: string) => {} } = {},
): Promise<number> {
  assertAbsent(file);
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);
  using _ = temporary(draft);
  const bytes = Readable.fromWeb(body.body as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(bytes, createWriteStream(draft, { mode, flags: "wx" })).catch((cause: unknown) => {
    throw new Failure("download_failed", `${file} could not be saved.`, { cause });
  });
  await check(draft);
  assertAbsent(file);
  await rename(draft, file);
  return (await stat(file)).size;
}

function assertAbsent(file: string): void {
  if (existsSync(file)) throw new Failure("file_exists", `${file} exists already.`);
}
