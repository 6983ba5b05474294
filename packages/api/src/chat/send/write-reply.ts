import type { CallContext } from "../../context.ts";
import type { QuotaHold } from "../../quota/quota-hold.service.ts";
import type { Participant } from "../../rooms/presence/presence-store.ts";
import type { AuthorizedRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../access/room-key.ts";
import { announceChange } from "../changes/announce-change.ts";
import type { RememberedRoom } from "../history/room-memory.queries.ts";
import { formatModelId } from "../models/model-id.ts";
import type { PromptImage } from "../models/model-port.ts";
import type { ReplyingSoul } from "../provenance/replying-soul.ts";
import { type StoredExchange, storeExchange } from "../storing/store-messages.ts";
import type { BranchPoint, FormerQuestion } from "../tree/branch-point.ts";
import { failureCodeOf } from "../usage/model-usage.ts";
import { withImageMark, withoutImageMark } from "./chat-image.ts";
import { buildPrompt } from "./prompt.ts";
import { streamReply } from "./stream-reply.ts";

export interface Question extends RoomName {
  reply_id: string;
  sender: Participant;
  content: string;
  image: PromptImage | undefined;
  deep_think: boolean;
  soul: ReplyingSoul;
  /** The chosen place in the room's tree; undefined continues the path. */
  branch: BranchPoint | undefined;
}

/**
 * Calls the model, streams the reply to the room, then stores question and reply together, or the
 * reply alone (decisions §5, Storage). A failed call stores nothing, and the room receives
 * `reply-failed`.
 * @throws what `ModelPort.stream` and `storeExchange` throw
 */
export async function writeReply(
  ctx: CallContext,
  room: AuthorizedRoom<RememberedRoom>,
  question: Question,
  hold: QuotaHold,
  signal: AbortSignal,
): Promise<StoredExchange> {
  const { sender, content, image, soul, branch } = question;
  const { record } = room;
  const former = branch?.regenerates;
  const shown = image ? withImageMark(content) : content;
  const memory = branch ?? record ?? { summary: null, summary_version: null, history: [] };
  const { lines, ...prompt } = buildPrompt({
    soul,
    summary: memory.summary,
    history: memory.history,
    current: former
      ? { ...former, content: promptText(former, image), image }
      : { sender_name: sender.name, content, image },
  });
  const leaf = record?.leaf_id ?? 0;
  const writer = ctx.hub.rooms.startReply(room.key, {
    reply_id: question.reply_id,
    sender_name: sender.name,
    content: former ? "" : shown,
    parent_id: (branch?.under ?? leaf) || null,
    regenerates: former?.id ?? null,
    soul_id: soul.soul_id,
  });
  const route = image ? "vision" : hold.premium ? "premium" : "text";
  try {
    const request = { route, ...prompt, deepThink: question.deep_think, signal } as const;
    const { text, usage } = await streamReply(ctx, request, {
      streamedAs: { reply_id: question.reply_id, soul_id: soul.soul_id },
      onPiece: (piece) => writer.delta(piece),
    });
    writer.flush();
    const exchange = {
      asker: sender,
      question: former ? null : shown,
      soulTitle: room.soul.title,
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
      place: {
        under: branch?.under ?? null,
        asked_on: leaf,
        asked_epoch: record?.path_epoch ?? 0,
      },
      isFirst: record === undefined,
    };
    const stored = await storeExchange(ctx, question, exchange, hold);
    ctx.hub.rooms.publishMessages(room.key, stored.messages);
    writer.done(stored.reply.id);
    await announceChange(ctx.hub, room.key, stored.step, { changesRoom: true });
    return stored;
  } catch (error) {
    writer.fail(failureCodeOf(signal.aborted ? signal.reason : error));
    throw error;
  }
}

/** Returns a stored question as the prompt contains it: the image itself replaces its mark. */
const promptText = ({ content }: FormerQuestion, image: PromptImage | undefined): string =>
  image ? (withoutImageMark(content) ?? content) : content;
