import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "@soul-hub/program";
import { MAX_IMPORT_BYTES } from "@soul-hub/soul-formats";
import { countNames, type Manifest, manifestOf } from "../archive/read-archive.ts";
import { splitArchive } from "../archive/split-archive.ts";
import { readOneFile } from "../folder/local-soul.ts";
import { type Hub, readAnswer } from "../hub/hub.ts";
import { withMainKey } from "../hub/main-key.ts";
import { type Command, onHub, type Report, type Session } from "../hub/session.ts";
import { sendFile, sendSoul, warningNotes } from "../hub/transfer.ts";

interface ImportOptions {
  dryRun?: true | undefined;
  public?: true | undefined;
}

/** Imports a file of this machine or of the web as a soul, or the archive of an account. */
export const importFile =
  (source: string, options: ImportOptions): Command =>
  async (session) => {
    if (/^[a-z]+:\/\//i.test(source))
      return importSoul(source, await download(source), options)(session);
    const manifest = await manifestOf(source);
    if (manifest) return importArchive(session, source, manifest, options);
    return importSoul(source, await readOneFile(source), options)(session);
  };

const importSoul = (
  source: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: ImportOptions,
): Command =>
  onHub(async (hub) => {
    const query = { dry_run: options.dryRun === true, is_public: options.public === true };
    const answer = await sendSoul(hub, source, bytes, query);
    const where = answer.id === null ? "" : ` It is soul ${answer.id}: ${answer.url}`;
    return {
      json: answer,
      lines: [`${answer.message}${where}`],
      notes: warningNotes(answer),
    };
  });

const DOWNLOAD_MS = 120_000;
const MAX_REDIRECTS = 5;

/** Fetches a file over https, also after redirects, and without any credential. */
async function download(address: string): Promise<Uint8Array<ArrayBuffer>> {
  const signal = AbortSignal.timeout(DOWNLOAD_MS);
  const failed = (reason: string, cause?: unknown) =>
    new Failure("download_failed", `${address} could not be fetched: ${reason}.`, { cause });
  if (!URL.canParse(address)) throw new Failure("bad_arguments", `${address} is no address.`);
  let url = new URL(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (url.protocol !== "https:") throw failed("only https is fetched");
    const response = await fetch(url, { redirect: "manual", signal }).catch((cause: unknown) => {
      throw failed("there is no answer", cause);
    });
    const next = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && next) {
      await response.body?.cancel();
      if (!URL.canParse(next, url.href)) throw failed("it leads to no address");
      url = new URL(next, url);
      continue;
    }
    if (!response.ok || !response.body) throw failed(`the server answers ${response.status}`);
    const bytes = await readUpTo(MAX_IMPORT_BYTES, response.body).catch((cause: unknown) => {
      throw failed("it broke off", cause);
    });
    if (!bytes) throw failed("it has more than 16 MiB");
    return bytes;
  }
  throw failed("there are too many redirects");
}

/** Reads a body; null if it is larger. */
async function readUpTo(
  maxBytes: number,
  body: AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) return null;
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

interface ArchiveAnswer
  extends Record<(typeof countNames)[number], { created: number; unchanged: number }> {
  skipped: { path: string; reason: string }[];
  warnings: { path: string; message: string }[];
}

/** Imports an archive with the main key, in parts where it is larger than the hub takes. */
const importArchive = (
  session: Session,
  file: string,
  manifest: Manifest,
  options: ImportOptions,
): Promise<Report> =>
  withMainKey(session, session.target.url, async (hub) => {
    const dryRun = options.dryRun === true;
    const answers: ArchiveAnswer[] = [];
    for await (const part of splitArchive(file, manifest)) {
      if (part.of > 1 && dryRun) {
        const message =
          "A dry run needs the whole archive at once, and the hub takes no larger one.";
        throw new Failure("bad_arguments", message);
      }
      if (part.of > 1) session.terminal.note(`Part ${part.number} of ${part.of}`);
      answers.push(await sendPart(hub, session, part.file, { dryRun, isFirst: part.number === 1 }));
    }
    const sum = (name: (typeof countNames)[number], kind: "created" | "unchanged") =>
      answers.reduce((total, answer) => total + answer[name][kind], 0);
    const tallies = countNames.map((name) => {
      const [created, unchanged] = [sum(name, "created"), sum(name, "unchanged")];
      return [name, { created, unchanged }] as const;
    });
    const skipped = answers.flatMap((answer) => answer.skipped);
    const warnings = answers.flatMap((answer) => answer.warnings);
    return {
      json: { dry_run: dryRun, ...Object.fromEntries(tallies), skipped, warnings },
      lines: tallies.map(
        ([name, { created, unchanged }]) => `${name}: ${created} new, ${unchanged} there already`,
      ),
      notes: [
        ...skipped.map(({ path, reason }) => `Skipped ${path}: ${reason}.`),
        ...warningNotes({ warnings }),
      ],
    };
  });

/** Sends a part. Between two parts, it waits as long as the hub's rate limit asks for. */
async function sendPart(
  hub: Hub,
  { terminal }: Session,
  file: string,
  { dryRun, isFirst }: { dryRun: boolean; isFirst: boolean },
): Promise<ArchiveAnswer> {
  for (;;) {
    const response = await sendFile(hub, `/api/import?dry_run=${dryRun ? 1 : 0}`, file);
    const wait = Number(response.headers.get("retry-after"));
    const isLimited = response.status === 429 || response.status === 503;
    if (isFirst || !isLimited || !(wait > 0)) return readAnswer<ArchiveAnswer>(response, hub.url);
    await response.body?.cancel();
    terminal.note(`The hub takes the next part in ${Math.ceil(wait / 60)} minutes.`);
    await sleep(wait * 1_000);
  }
}
