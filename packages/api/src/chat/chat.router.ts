import { z } from "zod";
import { atMost, id, message, utcTime } from "../fields.schema.ts";
import { chatQuota, replyQuota } from "../quota/quota.schema.ts";
import { readQuota } from "../quota/quota.service.ts";
import { keyHolder, open, passHolder, router } from "../trpc.ts";
import { selfChat } from "./byok/self-chat.service.ts";
import { cancelReply } from "./cancel-reply.service.ts";
import { chatMessage, GUEST_COOKIE, roomName } from "./chat.schema.ts";
import { listMyChats } from "./my-chats.service.ts";
import { readHistory } from "./read-chat.service.ts";
import { keepGuest } from "./room-access.ts";
import { sendMessage } from "./send-message.service.ts";
import { correctSummary, MAX_SUMMARY_CHARS } from "./summaries/correct-summary.service.ts";

const tag = "Chat";
/** An image of 3.75 MB as base64, and the longest message beside it. */
const MAX_CHAT_BODY_BYTES = 6 * 1024 * 1024;
const never = new AbortController().signal;

const newMessage = {
  content: z
    .string()
    .default("")
    .meta({
      description: "As long as your plan allows. May be empty only beside an image.",
      examples: ["What do you think of tabs?"],
    }),
  image: z
    .string()
    .max(MAX_CHAT_BODY_BYTES)
    .nullish()
    .meta({
      description: "A data URI: png, jpeg, webp or gif, strict base64, at most 3.75 MB.",
      examples: [null],
    }),
  is_private: z
    .boolean()
    .default(false)
    .meta({
      description:
        "By the session's owner: closes it to everybody else, for good. Self-chat writes nothing there and closes nothing.",
      examples: [false],
    }),
};

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
          "nft_required",
          "private_session",
          "cancelled",
          "quota_exceeded",
          "provider_failed",
          "provider_timeout",
          "overloaded",
          "chain_unavailable",
        ],
      },
    })
    .input(
      z.object({
        action: z
          .literal("chat")
          .default("chat")
          .meta({ examples: ["chat"] }),
        ...roomName,
        ...newMessage,
        deep_think: z
          .boolean()
          .default(false)
          .meta({ description: "Reason first. Costs `deep_think_cost` units.", examples: [false] }),
      }),
    )
    .output(
      z.object({
        reply: z.string().meta({ examples: ["Two spaces, and peace in the team."] }),
        sender_name: z
          .string()
          .meta({ description: "The soul's title.", examples: ["The Patient Reviewer"] }),
        reply_id: z.string().meta({
          description: "What the room's live events call this reply.",
          examples: ["0b9e4c1a-7d52-4c56-9d0a-5f1f0f6f3a11"],
        }),
        quota: replyQuota,
      }),
    )
    .mutation(({ ctx, input, signal }) =>
      // A reply asked for from a page belongs to the room and goes on when the page is closed.
      sendMessage(ctx, input, ctx.door === "rest" && signal ? signal : never),
    ),

  selfChat: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/self-chat",
        idempotent: true,
        tag,
        summary: "Send one message to your own provider and get the reply",
        description:
          "Goes to the provider of your active key (`PUT /api/byok`), needs no pass and takes nothing of the quota. Nothing is stored, but with an Idempotency-Key the answer, for 24 h: the model sees the soul and this message. With `Accept: text/event-stream` the reply comes in pieces, as with POST /api/chat.",
        maxBodyBytes: MAX_CHAT_BODY_BYTES,
        streams: true,
        failures: [
          "input_too_long",
          "image_invalid",
          "image_not_allowed",
          "soul_not_found",
          "nft_required",
          "private_session",
          "byok_inactive",
          "byok_key_rejected",
          "cancelled",
          "provider_failed",
          "provider_timeout",
          "overloaded",
          "chain_unavailable",
        ],
      },
    })
    .input(z.object({ ...roomName, ...newMessage }))
    .output(
      z.object({
        reply: z.string().meta({ examples: ["Two spaces, and peace in the team."] }),
        sender_name: z
          .string()
          .meta({ description: "The soul's title.", examples: ["The Patient Reviewer"] }),
      }),
    )
    .mutation(({ ctx, input, signal }) => selfChat(ctx, input, signal)),

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
        failures: ["soul_not_found", "nft_required", "private_session", "chain_unavailable"],
      },
    })
    .input(
      z.object({
        ...roomName,
        limit: z
          .int()
          .min(1)
          .max(500)
          .default(200)
          .meta({ description: "Messages in one answer.", examples: [200] }),
        before_id: id
          .optional()
          .meta({ description: "Read the messages before this one.", examples: [212] }),
      }),
    )
    .output(
      z.object({
        messages: z.array(chatMessage),
        has_more: z.boolean().meta({ description: "There are older ones.", examples: [false] }),
        oldest_id: id
          .nullable()
          .meta({ description: "Of the messages above; for `before_id`.", examples: [411] }),
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
          "The rooms you own or have written in and may still enter. Latest first, at most 200. `unchecked_count`: so many were left out because the chain did not say whether you pass their soul's NFT gate, or because their stored token can't be opened any more.",
      },
    })
    .output(
      z.object({
        sessions: z.array(
          z.object({
            ...roomName,
            soul_title: z.string().meta({ examples: ["The Patient Reviewer"] }),
            is_private: z.boolean().meta({ examples: [false] }),
            is_owner: z.boolean().meta({ description: "You began it.", examples: [true] }),
            summary: z.string().meta({
              description: "The compressed memory; empty until made.",
              examples: ["They compared tabs and spaces; ada leans towards tabs."],
            }),
            last_updated: utcTime,
          }),
        ),
        unchecked_count: z.int().meta({ examples: [0] }),
      }),
    )
    .query(({ ctx }) => listMyChats(ctx)),

  correctSummary: keyHolder
    .meta({
      rest: {
        method: "PUT",
        path: "/my-chats",
        tag,
        summary: "Correct or reset what a session remembers",
        description:
          "For whoever began the session. The text stands for what was folded into the summary so far; later lines are folded into it as ever. `null` resets: nothing said before is folded in again, and only the newest messages are still seen until they have gone by. With `expected`, what the caller has read, nothing is changed where something else stands by now (`summary_changed`).",
        failures: [
          "soul_not_found",
          "nft_required",
          "private_session",
          "not_owner",
          "summary_changed",
          "chain_unavailable",
        ],
      },
    })
    .input(
      z.object({
        ...roomName,
        summary: atMost(MAX_SUMMARY_CHARS)
          .nullable()
          .meta({ examples: ["Ada leans towards tabs, her team towards spaces."] }),
        expected: atMost(MAX_SUMMARY_CHARS)
          .optional()
          .meta({ examples: ["They compared tabs and spaces; ada leans towards tabs."] }),
      }),
    )
    .output(
      z.object({
        message,
        summary: z.string().meta({
          description: "As it stands now; empty after a reset.",
          examples: ["Ada leans towards tabs, her team towards spaces."],
        }),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const summary = await correctSummary(ctx, input);
      return {
        message: summary === "" ? "The memory is reset." : "The memory is corrected.",
        summary,
      };
    }),

  quota: open
    .meta({
      rest: {
        method: "GET",
        path: "/chat-quota",
        tag,
        summary: "Read what is left of today's quota",
        description: "Guests are counted per session and per hashed IP; the smaller rest is shown.",
        setsCookie: GUEST_COOKIE,
      },
    })
    .output(z.object({ quota: chatQuota }))
    .query(async ({ ctx }) => {
      keepGuest(ctx);
      return { quota: await readQuota(ctx) };
    }),
});
