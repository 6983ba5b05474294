import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { RoomMessage } from "../../rooms/room-events.ts";
import { type RoomName, roomKey } from "../rows/room-key.ts";
import { announceChange } from "./announce-change.ts";
import { type RoomState, toQuestion, writeLine } from "./store-messages.ts";

/** A message that no soul replies to. */
interface UnansweredLine {
  sender: Participant;
  content: string;
  /** `people`: no soul ever reads the message. */
  audience: "room" | "people";
  /** The message that the caller has chosen to continue; null continues the path. */
  under: number | null;
  roomState: RoomState;
  /** The room that admitted the message; undefined if it did not exist. */
  room: { id: number } | undefined;
}

/**
 * Counts a message that no soul replies to: 20 a minute per participant, since no quota limits it
 * (0041).
 * @param call the call as it arrived. The cookie that it issues to a new guest has a new id, so a
 *   guest without cookies would never reach the limit.
 * @throws HubError `rate_limited`
 */
export async function countLine({ hub, caller }: CallContext): Promise<void> {
  await hub.rateLimits?.("say", participantId(caller));
}

/**
 * Stores a message without a reply and publishes it (0041). A failed call is not retried: no reply
 * would be lost.
 * @returns the stored message
 * @throws HubError `soul_not_found`, and those of writeLine
 */
export async function storeLine(
  ctx: CallContext,
  name: RoomName,
  { sender, content, audience, under, roomState, room }: UnansweredLine,
): Promise<RoomMessage> {
  const written = await writeLine(ctx, name, roomState, {
    admitted_to: room?.id ?? null,
    asker: sender.id,
    asker_name: sender.name,
    line: content,
    said_to: audience,
    under,
  });
  const line = {
    ...toQuestion(written, sender, content),
    ...(audience === "people" && { audience }),
  };
  const key = roomKey(name);
  ctx.hub.rooms.publishMessages(key, [line]);
  await announceChange(ctx.hub, key, written, { changesRoom: true });
  return line;
}
