import { type AccountContext, participantId, quotaSubject } from "../../caller/caller.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { detectFileType } from "../../souls/soul-content.ts";
import { disconnectSignal } from "../byok/disconnect-signal.ts";
import { readMessage } from "../content/read-message.ts";
import { formatModelId } from "../models/model-id.ts";
import { buildPrompt, WINDOW_CHARS } from "../prompt/prompt.ts";
import { holdUnits, meteredReply } from "./metered-reply.ts";
import type { SoulTry } from "./try-soul.schema.ts";

/**
 * Answers as a soul that is not saved: POST /api/try and `chat.try` (decisions §5, Trying a soul).
 * The prompt is that of a room. No room and no message is stored.
 * @param disconnected aborts when the caller disconnects, which cancels the call
 * @throws HubError every code that `chat.try` lists in chat.router.ts
 */
export async function trySoul(
  ctx: AccountContext,
  { soul, messages, content }: SoulTry,
  disconnected: AbortSignal | undefined,
) {
  const { modelCalls, replies, vault } = ctx.hub;
  readMessage({ content }, quotaAccount(ctx).limits.max_input_chars);
  const { username } = ctx.caller.account;
  const { lines, ...prompt } = buildPrompt({
    key: { vault, scope: participantId(ctx.caller) },
    soul: {
      ...soul,
      file_type: detectFileType(soul.content),
      nickname: soul.from_card ? "" : null,
    },
    summary: null,
    history: messages.map(({ role, content }) => ({
      role,
      sender_name: role === "user" ? username : soul.title,
      // As much as a prompt may contain. A character has one or two UTF-16 code units.
      content: content.slice(0, 2 * WINDOW_CHARS),
    })),
    current: { sender_name: username, content },
  });

  using cancelled = disconnectSignal(disconnected);
  const signal = AbortSignal.any([cancelled.signal, replies.stopped]);
  using _slot = await modelCalls.acquire(quotaSubject(ctx.caller), signal);
  const hold = await holdUnits(ctx, { units: 1, wantsPremium: false });
  const request = { route: "text", ...prompt, deepThink: false, signal } as const;
  const { text: reply, usage } = await meteredReply(ctx, request, hold);
  return {
    reply,
    sender_name: soul.title,
    made_by: {
      soul_id: null,
      version: null,
      model: formatModelId(usage),
      tokens_in: usage.inputTokens,
      tokens_out: usage.outputTokens,
      summary_version: null,
      lines,
      edited_by: null,
    },
    quota: hold.quota,
  };
}
