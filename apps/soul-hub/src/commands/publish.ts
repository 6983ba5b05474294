import { existsSync } from "node:fs";
import path from "node:path";
import { Failure } from "@soul-hub/program";
import {
  type Comparison,
  changeLines,
  compareSouls,
  isSame,
  stateAfter,
} from "../folder/compare-souls.ts";
import { LINK_FILE, type Link, readLink, writeLink } from "../folder/link.ts";
import { isDotFile, type LocalSoul, leftOutNote, readLocal } from "../folder/local-soul.ts";
import { contentHash, type RemoteSoul, readRemote, readRoles } from "../folder/remote-soul.ts";
import type { Hub } from "../hub/hub.ts";
import { onHub, type Report } from "../hub/session.ts";
import { type ImportAnswer, sendSoul, warningNotes } from "../hub/transfer.ts";
import type { Line } from "../terminal/terminal.ts";

interface PublishOptions {
  dryRun?: true | undefined;
  public?: true | undefined;
  force?: true | undefined;
}

/** A folder or file beside the soul that it belongs to. */
export interface LinkedSoul {
  link: Link;
  remote: RemoteSoul;
  local: LocalSoul;
  /** What a publication would change. */
  comparison: Comparison;
}

export async function readLinked(hub: Hub, place: string, link: Link): Promise<LinkedSoul> {
  const roles = await readRoles(hub);
  const remote = await readRemote(hub, link.soul_id, roles);
  const beside = remote.files.filter(({ path: name }) => isDotFile(name));
  const local = await readLocal(place, roles, beside);
  const comparison = compareSouls(remote.state, stateAfter(remote.state, local.read));
  return { link, remote, local, comparison };
}

/**
 * Publishes a folder or a file: as a new soul, or as the next version of the soul that it belongs to.
 * Nothing is sent where nothing differs.
 * @throws Failure `soul_changed`
 */
export const publish = (place: string, options: PublishOptions) =>
  onHub(async (hub): Promise<Report> => {
    const link = await readLink(place, hub.url);
    if (!link) return publishNew(hub, place, options);
    return publishNext(hub, place, await readLinked(hub, place, link), options);
  });

async function publishNew(hub: Hub, place: string, options: PublishOptions): Promise<Report> {
  assertNotPulled(place);
  const local = await readLocal(place, await readRoles(hub));
  const isDry = options.dryRun === true;
  const query = { dry_run: isDry, is_public: options.public === true };
  const answer = await sendSoul(hub, place, local.bytes, query);
  const { id, url, message } = answer;
  if (id !== null) {
    const base_sha256 = contentHash(local.read.content);
    await writeLink(place, { hub: hub.url, soul_id: id, base_sha256 });
  }
  const files = answer.files.map((file) => `  ${file.kept.padEnd(7)}  ${file.path || place}`);
  const done = id === null ? "It would be a new soul." : `${message} It is soul ${id}: ${url}`;
  return {
    json: { ...answer, sent: !isDry },
    lines: [done, ...(isDry ? files : [])],
    notes: notesOf(local, answer),
  };
}

async function publishNext(
  hub: Hub,
  place: string,
  { link, remote, local, comparison }: LinkedSoul,
  options: PublishOptions,
): Promise<Report> {
  const id = link.soul_id;
  const isDry = options.dryRun === true;
  const base = { ...link, base_sha256: remote.content_sha256 };
  if (isSame(comparison)) {
    if (!isDry && link.base_sha256 !== base.base_sha256) await writeLink(place, base);
    const shown = await makePublic(hub, id, options);
    const { warnings } = local.read;
    const json = { id, changed: false, sent: false, ...comparison, warnings };
    return { json, lines: ["Nothing differs.", ...shown], notes: notesOf(local) };
  }
  if (remote.content_sha256 !== link.base_sha256 && !options.force) throw changedThere(place);
  const answer = await sendSoul(hub, place, local.bytes, {
    dry_run: isDry,
    is_public: false,
    soul_id: id,
    expected_sha256: remote.content_sha256,
  });
  if (!isDry) await writeLink(place, { ...link, base_sha256: contentHash(local.read.content) });
  const shown = await makePublic(hub, id, options);
  const done = isDry ? `Soul ${id} would change:` : answer.message;
  return {
    json: { ...answer, id, sent: !isDry, ...comparison },
    lines: [done, ...changeLines(comparison), ...shown],
    notes: notesOf(local, answer),
  };
}

/** An import never changes who sees a soul. */
async function makePublic(hub: Hub, id: number, options: PublishOptions): Promise<Line[]> {
  if (!options.public) return [];
  const { data } = await hub.client.souls.read.query({ id });
  if (data.is_public === 1) return [];
  if (options.dryRun) return ["It would become public."];
  await hub.client.souls.update.mutate({ id, is_public: 1 });
  return ["It is public now."];
}

const changedThere = (place: string): Failure =>
  new Failure(
    "soul_changed",
    `The soul has changed on the hub since your last pull. Compare with \`soul-hub diff ${place}\`; \`soul-hub publish --force ${place}\` overwrites it.`,
  );

/** One file of a pulled soul would become a soul of its own. */
function assertNotPulled(place: string): void {
  const folder = path.dirname(path.resolve(place));
  if (!existsSync(path.join(folder, LINK_FILE))) return;
  const message = `${place} is part of a soul. Publish its folder: soul-hub publish ${folder}`;
  throw new Failure("bad_arguments", message);
}

/** What a publication leaves out. Where nothing is sent, this machine has read the same warnings. */
export const notesOf = (
  { leftOut, read }: LocalSoul,
  answer: Pick<ImportAnswer, "warnings"> = read,
): string[] => [...leftOutNote(leftOut), ...warningNotes(answer)];
