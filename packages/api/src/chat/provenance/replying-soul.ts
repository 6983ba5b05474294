import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import type { SoulRecord } from "../../souls/soul.queries.ts";
import { isOwner } from "../../souls/soul-access.ts";
import { detectFileType } from "../../souls/soul-content.ts";
import { hasNumber } from "../../souls/version/version-number.ts";
import { snapshotNickname, snapshotsWithTexts } from "../../souls/versions/snapshots.queries.ts";
import { readerOf } from "../../souls/versions/version-reader.ts";
import type { RoomSoul } from "../chat-room.entity.ts";
import type { PromptSoul } from "../models/prompt-delimiters.ts";

/** The state of a soul that writes a reply. */
export interface ReplyingSoul extends PromptSoul {
  soul_id: number;
  version: number;
}

/**
 * Reads the version of a room's soul that writes a reply: the one that the caller asks for, else
 * the room's pinned one, else the present one (0038). A pin names a version that the room's owner
 * may read; the caller need not.
 * @param soul the present state, which the caller may use
 * @param inRoom the soul as the room names it; undefined if the room pins no version
 * @param asked a version that the caller must be allowed to read
 * @throws HubError `version_not_found`, `version_withdrawn`
 */
export async function replyingSoul(
  ctx: CallContext,
  soul: SoulRecord,
  inRoom: RoomSoul | undefined,
  asked: number | undefined,
): Promise<ReplyingSoul> {
  const version = asked ?? inRoom?.version ?? soul.version;
  if (version === soul.version) return { ...soul, soul_id: soul.id };
  const isAsked = asked !== undefined;
  const reader = isAsked ? readerOf(ctx, soul, true) : "owner";
  const snapshot = await snapshotsWithTexts(ctx.db, soul.id, reader)
    .select(snapshotNickname)
    .where(hasNumber(version))
    .executeTakeFirst();
  if (isAsked) {
    if (!snapshot || snapshot.content_hidden) throw new HubError("version_not_found");
  } else if (!snapshot || (snapshot.is_hidden && !isOwner(ctx, soul))) {
    throw new HubError("version_withdrawn");
  }
  const { title, content, nickname } = snapshot;
  return {
    soul_id: soul.id,
    version,
    title,
    content,
    nickname,
    file_type: detectFileType(content),
  };
}
