import { z } from "zod";
import { atMost, field, id, message, utcTime } from "../fields.schema.ts";
import { chatQuota } from "../quota/quota.schema.ts";
import { readQuota } from "../quota/quota.service.ts";
import {
  keyHolder,
  open,
  participantOnly,
  passHolder,
  router,
  sessionOrPass,
} from "../trpc/trpc.ts";
import { roomFailures } from "./access/authorize-room.ts";
import { issueGuestCookie } from "./access/room-participant.ts";
import { selfChat } from "./byok/self-chat.service.ts";
import { chatMessage, GUEST_COOKIE, roomName } from "./chat.schema.ts";
import { soulTry, triedReply } from "./completions/try-soul.schema.ts";
import { trySoul } from "./completions/try-soul.service.ts";
import { listMyChats } from "./history/my-chats.service.ts";
import { readHistory } from "./history/read-history.service.ts";
import { hideRoom } from "./reading/hide-room.service.ts";
import { cancelReply } from "./send/cancel-reply.service.ts";
import { presentReply } from "./send/present-reply.ts";
import {
  chatAnswer,
  MAX_CHAT_BODY_BYTES,
  newChatMessage,
  newMessage,
} from "./send/send-message.schema.ts";
import { sendMessage } from "./send/send-message.service.ts";
import { correctSummary, MAX_SUMMARY_CHARS } from "./summaries/correct-summary.service.ts";

/** The chat endpoints (specification §4.2). */
export const chatRouter = router({
  send: passHolder("chat")
    .meta({
      maxBodyBytes: MAX_CHAT_BODY_BYTES,
      rest: "POST /chat",
      writes: true,
      idempotent: true,
      replay: presentReply,
      summary: "Send one message and get the reply",
      description:
        "With `Accept: text/event-stream` the reply is streamed: `event: delta` {reply_id, soul_id, offset, text}, then `event: done` with the documented answer, or `event: error` with the failure. The room receives the reply while it is written in either case.\n\nSeveral souls of the room reply one after the other if `to` or mentions (`@handle`) name them. Each reply costs its units; `replies` holds all of them. With `answers: addressed` and no soul named, the message is stored without a reply and costs nothing (`answered: false`).",
      streams: true,
      body: {
        action: "chat",
        soul_id: 1,
        session_token: "3f9a52c1e0b84d7795c1b6f0a2d4e8f1",
        content: "What do you think of tabs?",
        image: null,
        is_private: false,
        deep_think: false,
      },
      failures: [
        "input_too_long",
        "image_invalid",
        "image_not_allowed",
        "deep_think_not_allowed",
        ...roomFailures,
        "muted",
        "message_not_found",
        "not_owner",
        "limit_reached",
        "version_not_found",
        "version_withdrawn",
        "cancelled",
        "quota_exceeded",
        "provider_failed",
        "provider_timeout",
        "overloaded",
      ],
    })
    .input(newChatMessage)
    .output(chatAnswer)
    .mutation(({ ctx, input, signal }) =>
      // A reply requested by a page belongs to the room, so it continues after the page is closed.
      sendMessage(ctx, input, ctx.transport === "rest" ? signal : undefined),
    ),

  selfChat: keyHolder("chat")
    .meta({
      maxBodyBytes: MAX_CHAT_BODY_BYTES,
      rest: "POST /self-chat",
      writes: true,
      idempotent: true,
      summary: "Send one message to your own provider and get the reply",
      description:
        "Calls the provider of your active key (`PUT /api/byok`). It needs no pass and no quota. The model receives the soul and this message. No message is stored; with an Idempotency-Key the answer is stored for 24 h. With `Accept: text/event-stream` the reply is streamed, as by POST /api/chat, in deltas of {offset, text}.",
      streams: true,
      failures: [
        "input_too_long",
        "image_invalid",
        "image_not_allowed",
        ...roomFailures,
        "byok_inactive",
        "byok_key_rejected",
        "cancelled",
        "provider_failed",
        "provider_timeout",
        "overloaded",
      ],
    })
    .input(z.object({ ...roomName, ...newMessage }))
    .output(
      z.object({
        reply: field(z.string(), "Two spaces, and peace in the team."),
        sender_name: field(z.string(), "The Patient Reviewer", "The soul's title."),
      }),
    )
    .mutation(({ ctx, input, signal }) => selfChat(ctx, input, signal ?? ctx.connection.closed)),

  try: sessionOrPass("chat")
    .meta({
      maxBodyBytes: MAX_CHAT_BODY_BYTES,
      rest: "POST /try",
      writes: true,
      summary: "Talk to a soul that is not saved",
      description:
        "Replies as the soul of these texts, with the prompt of a room and the platform's model, for one unit. The caller brings the conversation: no room and no message is stored. With `Accept: text/event-stream` the reply is streamed, as by POST /api/chat, in deltas of {offset, text}.",
      streams: true,
      failures: [
        "input_too_long",
        "quota_exceeded",
        "cancelled",
        "provider_failed",
        "provider_timeout",
        "overloaded",
      ],
    })
    .input(soulTry)
    .output(triedReply)
    .mutation(({ ctx, input, signal }) => trySoul(ctx, input, signal ?? ctx.connection.closed)),

  cancel: participantOnly("chat")
    .meta({
      rest: "POST /chat-cancel",
      summary: "Cancel a reply in progress",
      description:
        "For the participant who asked, and for the room's owner. An unknown reply and a reply of another room are answered in the same way.",
    })
    .input(
      z.object({
        reply_id: field(z.string().max(100), "0b9e4c1a-7d52-4c56-9d0a-5f1f0f6f3a11"),
      }),
    )
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => cancelReply(ctx, input.reply_id)),

  history: passHolder("chat")
    .meta({
      rest: "GET /chat",
      summary: "Read the messages of one session",
      description:
        "Returns the newest `limit` messages in order, of all branches. `before_id` reads older ones.",
      failures: roomFailures,
    })
    .input(
      z.object({
        ...roomName,
        limit: field(
          z.int().min(1).max(500).default(200),
          200,
          "Number of messages in one answer.",
        ),
        before_id: field(id.optional(), 212, "Read the messages before this one."),
        path: field(
          z.literal("active").optional(),
          "active",
          "Read the session's path only, without abandoned branches.",
        ),
      }),
    )
    .output(
      z.object({
        messages: z.array(chatMessage),
        has_more: field(z.boolean(), false, "True if there are older messages."),
        oldest_id: field(id.nullable(), 411, "Id of the oldest message above, for `before_id`."),
      }),
    )
    .query(({ ctx, input }) => readHistory(ctx, input)),

  sessions: keyHolder("chat")
    .meta({
      rest: "GET /my-chats",
      summary: "List your own chat sessions with their summaries",
      description:
        "Sessions that you own, have written in or are a member of, and may still enter. Latest first, at most 200. Those that you have hidden are left out. `unchecked_count` sessions are left out, because their stored token cannot be decrypted, or a named key lacks `souls:read` for their private soul.",
    })
    .output(
      z.object({
        sessions: z.array(
          z.object({
            ...roomName,
            soul_title: field(z.string(), "The Patient Reviewer"),
            is_private: field(z.boolean(), false),
            is_owner: field(z.boolean(), true, "True if you started the session."),
            is_member: field(z.boolean(), false, "True if you joined by an invite."),
            summary: field(
              z.string(),
              "They compared tabs and spaces; ada leans towards tabs.",
              "What the soul remembers of older messages; empty at first.",
            ),
            last_updated: utcTime,
            title: field(z.string(), "Tabs or spaces", "The title of the session."),
            last_message: z
              .object({
                id: field(id, 412),
                sender_name: field(z.string(), "The Patient Reviewer"),
                content: field(z.string(), "Two spaces, and peace.", "At most 200 characters."),
              })
              .nullable()
              .describe("The newest message that was not removed, if it is among the newest 300."),
            unread: field(
              z.int(),
              2,
              "Messages of others since `PUT /api/seen` and since your own newest one; at most 99.",
            ),
            mentions: field(z.int(), 0, "Those that contain `@` and your username; at most 99."),
            others_online: field(
              z.array(z.string()),
              ["grace", "Anonymous #4821"],
              "Names of the other people who are in the session now; at most 10.",
            ),
          }),
        ),
        unchecked_count: field(z.int(), 0),
      }),
    )
    .query(({ ctx }) => listMyChats(ctx)),

  correctSummary: keyHolder("chat")
    .meta({
      rest: "PUT /my-chats",
      writes: true,
      summary: "Correct what a session remembers, or hide it from your list",
      description:
        "Takes exactly one of `summary` and `hidden`. `summary` is for the session's owner. The text replaces the summary of older messages; later messages are added to it as usual. `null` clears it: earlier messages are not summarised again. With `expected`, the summary that you have read, nothing changes if the stored summary differs (`summary_changed`). `hidden` is for everybody in the session: the list leaves it out until you are mentioned or write there. A member leaves the session.",
      failures: [...roomFailures, "not_owner", "summary_changed"],
      body: { soul_id: 1, session_token: "b1946ac92492d2347c6235b4d2611184", hidden: true },
    })
    .input(
      z
        .object({
          ...roomName,
          summary: field(
            atMost(MAX_SUMMARY_CHARS).nullish(),
            "Ada leans towards tabs, her team towards spaces.",
          ),
          expected: field(
            atMost(MAX_SUMMARY_CHARS).optional(),
            "They compared tabs and spaces; ada leans towards tabs.",
          ),
          hidden: field(z.boolean().optional(), true, "In place of `summary`."),
        })
        .refine(({ summary, hidden }) => (summary === undefined) !== (hidden === undefined), {
          path: ["summary"],
          message: "or `hidden` must be given",
        }),
    )
    .output(
      z.object({
        message,
        summary: field(
          z.string().optional(),
          "Ada leans towards tabs, her team towards spaces.",
          "The stored summary; empty after a reset.",
        ),
        hidden: field(z.boolean().optional(), true),
      }),
    )
    .mutation(({ ctx, input: { summary = null, hidden, ...session } }) =>
      hidden === undefined
        ? correctSummary(ctx, { ...session, summary })
        : hideRoom(ctx, { ...session, hidden }),
    ),

  quota: open("account:read")
    .meta({
      rest: "GET /chat-quota",
      summary: "Read what is left of today's quota",
      description:
        "Guests are counted per session and per hashed IP address. The smaller remainder is returned.",
      setsCookie: GUEST_COOKIE,
    })
    .output(
      z.object({
        quota: chatQuota,
        account_daily_limit: field(z.int(), 20, "Units per UTC day of an account without a pass."),
      }),
    )
    .query(async ({ ctx }) => {
      issueGuestCookie(ctx);
      const account_daily_limit = ctx.hub.config.tiers.free.daily_limit;
      return { quota: await readQuota(ctx), account_daily_limit };
    }),
});
