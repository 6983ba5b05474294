import { randomUUID } from "node:crypto";
import { participantId, quotaSubject } from "../accounts/caller.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { isLongerThan } from "../fields.schema.ts";
import { quotaAccount, readQuota } from "../quota/quota.service.ts";
import { type QuotaHold, refundQuota, reserveQuota } from "../quota/quota-hold.service.ts";
import { decodeImage } from "./chat-image.ts";
import type { PromptImage } from "./models/model-port.ts";
import { enterRoom, keepGuest, participantOf } from "./room-access.ts";
import type { RoomName } from "./room-key.ts";
import { makePrivate } from "./store-messages.ts";
import { foldSummary } from "./summary.service.ts";
import { writeReply } from "./write-reply.ts";

interface NewMessage extends RoomName {
  content: string;
  image?: string | null | undefined;
  is_private: boolean;
  deep_think: boolean;
}

/**
 * One message and its reply: POST /api/chat and `chat.send` (decisions §5).
 * @param leaves aborts when a caller whose reply is theirs alone goes away
 */
export async function sendMessage(call: CallContext, input: NewMessage, leaves: AbortSignal) {
  const { limits } = quotaAccount(call);
  const image = checkMessage(input, limits.max_input_chars);
  // From here on as whom they will be next time, or the room they make now would not be theirs.
  const ctx = keepGuest(call);
  const room = await enterRoom(ctx, input);
  const asker = participantId(ctx.caller);
  if (input.is_private && (!canOwn(ctx) || (room.record && room.record.owner !== asker))) {
    throw new HubError("private_session");
  }
  if (image && !limits.allow_image) throw new HubError("image_not_allowed");
  if (input.deep_think && !limits.deep_think_cost) throw new HubError("deep_think_not_allowed");

  const cancelled = new AbortController();
  const signal = AbortSignal.any([cancelled.signal, leaves]);
  const giveBackTurn = await ctx.hub.turns.take(quotaSubject(ctx.caller), signal);
  const reply_id = randomUUID();
  try {
    const hold = await reserveQuota(ctx, {
      units: (input.deep_think && limits.deep_think_cost) || 1,
      wantsPremium: !image && ctx.hub.models.routes.premium !== null && limits.premium_limit > 0,
      holdSeconds: Math.ceil((ctx.hub.config.modelTimeoutMs * 2) / 1_000) + 60,
    });
    ctx.hub.replies.add(reply_id, {
      roomKey: room.key,
      askerId: asker,
      cancel: (code) => cancelled.abort(new HubError(code)),
    });
    const question = { ...input, reply_id, sender: participantOf(ctx), image };
    const reply = await settleOrRefund(ctx, hold, async () => {
      // Not before the units are there: what is refused leaves no room behind.
      if (input.is_private && !room.record?.is_private) await makePrivate(ctx, input, asker);
      return writeReply(ctx, room, question, hold, signal);
    });
    foldSummary(ctx.hub, room.key);
    return { reply, sender_name: room.soul.title, reply_id, quota: await readQuota(ctx) };
  } finally {
    ctx.hub.replies.remove(reply_id);
    giveBackTurn();
  }
}

/** Not a guest whom a socket gave no cookie: that id is everybody's with their address and browser. */
const canOwn = ({ caller }: CallContext): boolean =>
  caller.kind !== "guest" || caller.guest.hasCookie;

/** A reply that is stored has settled its units in the same transaction; every other gives them back. */
async function settleOrRefund(
  ctx: CallContext,
  hold: QuotaHold,
  reply: () => Promise<string>,
): Promise<string> {
  try {
    return await reply();
  } catch (error) {
    await refundQuota(ctx.db, hold);
    throw error;
  }
}

/** @throws HubError `invalid_input`, `input_too_long`, `image_invalid` */
function checkMessage(input: NewMessage, maxChars: number): PromptImage | undefined {
  const image = typeof input.image === "string" ? decodeImage(input.image) : undefined;
  if (!image && !/\S/.test(input.content)) {
    throw new HubError("invalid_input", {
      details: [{ field: "content", message: "may be empty only beside an image" }],
    });
  }
  if (isLongerThan(maxChars, input.content)) {
    throw new HubError("input_too_long", {
      details: [{ field: "content", message: `may have at most ${maxChars} characters` }],
    });
  }
  return image;
}
