import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { textColumns } from "../change-soul.ts";
import { readableSoul } from "../soul-access.ts";
import type { Soul } from "../souls.schema.ts";
import { hasNumber, isBefore } from "../version/version-number.ts";
import { snapshotsWithTexts, withSnapshotDigest } from "./snapshots.queries.ts";
import { readerOf, type VersionReader } from "./version-reader.ts";

type ReadableSoul = Awaited<ReturnType<typeof readableSoul>>;

/** The present state of a soul and its snapshots, as one caller may read them. */
export interface SoulHistory {
  soul: ReadableSoul;
  reader: VersionReader;
  /** Selects the snapshots that the caller may know of. */
  snapshots: () => ReturnType<typeof snapshotsWithTexts>;
}

/** @throws HubError `soul_not_found`, `chain_unavailable` */
export async function openHistory(ctx: CallContext, soulId: number): Promise<SoulHistory> {
  const soul = await readableSoul(ctx, soulId);
  const reader = readerOf(ctx, soul, !soul.content_hidden);
  return { soul, reader, snapshots: () => snapshotsWithTexts(ctx.db, soulId, reader) };
}

export type SoulState = Awaited<ReturnType<typeof readState>>;

/**
 * Reads one state of a soul, its present one by default.
 * @throws HubError `version_not_found`
 */
export async function readState({ soul, snapshots }: SoulHistory, number = soul.version) {
  if (number === soul.version) return presentState(soul);
  if (number > soul.version) throw new HubError("version_not_found");
  return formerState(await snapshots().where(hasNumber(number)).executeTakeFirst());
}

/**
 * Reads the newest state before another one that the caller may know of.
 * @throws HubError `version_not_found`
 */
export async function readStateBefore({ snapshots }: SoulHistory, { id, number }: SoulState) {
  const before = snapshots()
    // The present state may have become a snapshot since it was read.
    .where(isBefore(number))
    .where("id", "<", id ?? Number.MAX_SAFE_INTEGER)
    .orderBy("id", "desc");
  return formerState(await before.limit(1).executeTakeFirst());
}

type Snapshot = Awaited<ReturnType<ReturnType<SoulHistory["snapshots"]>["execute"]>>[number];

function formerState(snapshot: Snapshot | undefined) {
  if (!snapshot) throw new HubError("version_not_found");
  const { id, edited_at, ...state } = withSnapshotDigest(snapshot);
  return {
    ...state,
    id: id as number | null,
    edited_at: edited_at as string | null,
    is_current: false,
  };
}

/**
 * Reads a snapshot by its id, which `version_id` names.
 * @throws HubError `version_not_found`
 */
export const readSnapshot = async ({ snapshots }: SoulHistory, versionId: number) =>
  formerState(await snapshots().where("id", "=", versionId).executeTakeFirst());

function presentState(soul: ReadableSoul): ReturnType<typeof formerState> {
  const { content_hidden, digest, content_sha256, has_package, package_id, signature } = soul;
  const texts = Object.fromEntries(textColumns.map((name) => [name, soul[name]]));
  return {
    ...(texts as Pick<Soul, (typeof textColumns)[number]>),
    content_hidden,
    digest,
    content_sha256,
    has_package,
    package_id,
    signature,
    file_type: content_hidden ? null : soul.file_type,
    id: null,
    soul_id: soul.id,
    number: soul.version,
    note: soul.version_note,
    is_hidden: false,
    is_current: true,
    edited_at: null,
  };
}
