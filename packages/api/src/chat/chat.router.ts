import { z } from "zod";
import { id, utcTime } from "../fields.schema.ts";
import { chatQuota, replyQuota } from "../quota/quota.schema.ts";
import { readQuota } from "../quota/quota.service.ts";
import { keyHolder, open, passHolder, router } from "../trpc.ts";
import { cancelReply } from "./cancel-reply.service.ts";
import { chatMessage, roomName } from "./chat.schema.ts";
import { listMyChats } from "./my-chats.service.ts";
import { readHistory } from "./read-chat.service.ts";
import { keepGuest } from "./room-access.ts";
import { sendMessage } from "./send-message.service.ts";

const tag = "Chat";
/** An image of 3.75 MB as base64, and the longest message beside it. */
const MAX_CHAT_BODY_BYTES = 6 * 1024 * 1024;
const never = new AbortController().signal;

/** Specification §4.2. */
export const chatRouter = router({
  send: passHolder
    .meta({
      rest: {
        method: "POST",
        path: "/chat",
        idempotent: true,
        tag,
        summary: "Send one message and get the reply",
        description:
          "With `Accept: text/event-stream` the reply comes in pieces: `event: delta` {offset, text}, then `event: done` with the documented answer, or `event: error` with the failure. The room sees it as it is written either way.",
        maxBodyBytes: MAX_CHAT_BODY_BYTES,
        streams: true,
        failures: [
          "input_too_long",
          "image_invalid",
          "image_not_allowed",
          "deep_think_not_allowed",
          "soul_not_found",
          "private_session",
          "cancelled",
          "quota_exceeded",
          "provider_failed",
          "provider_timeout",
          "no_model",
          "overloaded",
        ],
      },
    })
    .input(
      z.object({
        action: z.literal("chat").default("chat"),
        ...roomName,
        content: z
          .string()
          .default("")
          .meta({
            description: "As long as your plan allows. May be empty only beside an image.",
            examples: ["What do you think of tabs?"],
          }),
        image: z.string().max(MAX_CHAT_BODY_BYTES).nullish().meta({
          description: "A data URI: png, jpeg, webp or gif, strict base64, at most 3.75 MB.",
        }),
        is_private: z.boolean().default(false),
        deep_think: z.boolean().default(false),
      }),
    )
    .output(
      z.object({
        reply: z.string(),
        sender_name: z.string().meta({ description: "The soul's title." }),
        reply_id: z.string(),
        quota: replyQuota,
      }),
    )
    .mutation(({ ctx, input, signal }) =>
      // A reply asked for from a page belongs to the room and goes on when the page is closed.
      sendMessage(ctx, input, ctx.door === "rest" && signal ? signal : never),
    ),

  cancel: open
    .input(z.object({ reply_id: z.string().max(100) }))
    .output(z.object({}))
    .mutation(async ({ ctx, input }) => {
      await cancelReply(ctx, input.reply_id);
      return {};
    }),

  history: passHolder
    .meta({
      rest: {
        method: "GET",
        path: "/chat",
        tag,
        summary: "Read the messages of one session",
        description:
          "The newest `limit` in order; `before_id` (an id from chat-sync) reads older ones.",
        failures: ["soul_not_found", "private_session"],
      },
    })
    .input(
      z.object({
        ...roomName,
        limit: z.int().min(1).max(500).default(200),
        before_id: id.optional(),
      }),
    )
    .output(
      z.object({
        messages: z.array(chatMessage),
        has_more: z.boolean(),
        oldest_id: id.nullable().meta({ description: "Of the messages above; for `before_id`." }),
      }),
    )
    .query(({ ctx, input }) => readHistory(ctx, input)),

  sessions: keyHolder
    .meta({
      rest: {
        method: "GET",
        path: "/my-chats",
        tag,
        summary: "List your own chat sessions with their summaries",
        description:
          "The rooms you own or have written in and may still enter. Latest first, at most 200.",
      },
    })
    .output(
      z.object({
        sessions: z.array(
          z.object({
            ...roomName,
            summary: z.string().meta({ description: "The compressed memory; empty until made." }),
            last_updated: utcTime,
          }),
        ),
      }),
    )
    .query(({ ctx }) => listMyChats(ctx)),

  quota: open
    .meta({
      rest: {
        method: "GET",
        path: "/chat-quota",
        tag,
        summary: "Read what is left of today's quota",
        description: "Guests are counted per session and per hashed IP; the smaller rest is shown.",
      },
    })
    .output(z.object({ quota: chatQuota }))
    .query(async ({ ctx }) => {
      keepGuest(ctx);
      return { quota: await readQuota(ctx) };
    }),
});
