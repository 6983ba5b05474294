import type { CallContext } from "../../context.ts";
import { failureCodeOf } from "../../errors.ts";
import type { QuotaHold } from "../../quota/quota-hold.service.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { AuthorizedRoom } from "../access/authorize-room.ts";
import type { AddressedSoul } from "../addressing/addressed-souls.ts";
import { formatModelId } from "../models/model-id.ts";
import type { PromptImage } from "../models/model-port.ts";
import { buildPrompt } from "../prompt/prompt.ts";
import type { Memory, RememberedLine, RememberedRoom } from "../prompt/room-memory.queries.ts";
import { asReadBy, describePeople, explainNames } from "../prompt/room-people.ts";
import type { RoomName } from "../rows/room-key.ts";
import { announceChange } from "../storing/announce-change.ts";
import type { RoomState } from "../storing/store-messages.ts";
import { type Place, type StoredExchange, storeExchange } from "../storing/store-messages.ts";
import { streamReply } from "./stream-reply.ts";

/** One reply to a message: the first, or one that follows the reply of another soul (0041). */
export interface Turn extends AddressedSoul {
  reply_id: string;
  isOneOfSeveral: boolean;
  sender: Participant;
  /** The message as the prompt shows it. */
  current: { sender_name: string; content: string };
  image: PromptImage | undefined;
  deep_think: boolean;
  memory: Memory;
  /** What other souls have replied to the message, oldest first. */
  otherReplies: readonly RememberedLine[];
  /** The new question, which is stored with its reply. Null for a reply alone. */
  question: string | null;
  roomState: RoomState;
  /** The earlier question that the reply answers again; null if it answers a new one. */
  regenerates: number | null;
  place: Place;
}

/**
 * Calls the model, streams the reply to the room, then stores question and reply together, or the
 * reply alone (decisions §5, Storage). A failed call stores nothing, and the room receives
 * `reply-failed`.
 * @throws what `ModelPort.stream` and `storeExchange` throw
 */
export async function writeReply(
  ctx: CallContext,
  { name, room }: { name: RoomName; room: AuthorizedRoom<RememberedRoom> },
  turn: Turn,
  hold: QuotaHold,
  signal: AbortSignal,
): Promise<StoredExchange> {
  const { reply_id, soul, sender, image, memory, place } = turn;
  const { lines, ...prompt } = await promptOf(ctx, room, turn);
  signal.throwIfAborted();
  const writer = ctx.hub.rooms.startReply(room.key, {
    reply_id,
    sender_name: sender.name,
    content: turn.question ?? "",
    parent_id: (place.under ?? place.asked_on) || null,
    regenerates: turn.regenerates,
    soul_id: soul.soul_id,
  });
  const route = image ? "vision" : hold.premium ? "premium" : "text";
  try {
    const request = { route, ...prompt, deepThink: turn.deep_think, signal } as const;
    const { text, usage } = await streamReply(ctx, request, {
      streamedAs: { reply_id, soul_id: soul.soul_id },
      speaker: turn.isOneOfSeveral ? turn.title : undefined,
      onPiece: (piece) => writer.delta(piece),
    });
    writer.flush();
    const exchange = {
      asker: sender,
      question: turn.question,
      soulTitle: turn.title,
      reply: text,
      made_by: {
        soul_id: soul.soul_id,
        version: soul.version,
        model: formatModelId(usage),
        tokens_in: usage.inputTokens,
        tokens_out: usage.outputTokens,
        summary_version: memory.summary_version,
        lines,
      },
      place,
      roomState: turn.roomState,
    };
    const stored = await storeExchange(ctx, name, exchange, hold);
    ctx.hub.rooms.publishMessages(room.key, stored.messages);
    writer.done(stored.reply.id);
    await announceChange(ctx.hub, room.key, stored.step, { changesRoom: true });
    return stored;
  } catch (error) {
    writer.fail(failureCodeOf(signal.aborted ? signal.reason : error));
    throw error;
  }
}

async function promptOf(
  { hub }: CallContext,
  { key, soul: host }: AuthorizedRoom<RememberedRoom>,
  { soul, sender, current, image, memory, otherReplies }: Turn,
) {
  const present = await hub.rooms.present(key);
  const read = (lines: readonly RememberedLine[]) => asReadBy(soul.soul_id, host.id, lines);
  return buildPrompt({
    key: { vault: hub.vault, scope: key },
    soul,
    summary: memory.summary,
    history: read(memory.history),
    current: { ...current, image },
    otherReplies: read(otherReplies),
    others: Array.from(present.values(), ({ name }) => name),
    closing: (shown) => [
      ...explainNames([...shown, ...read(otherReplies)]),
      ...describePeople({ present, askerId: sender.id }, shown),
    ],
  });
}
