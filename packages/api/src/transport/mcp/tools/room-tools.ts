import { randomBytes } from "node:crypto";
import { z } from "zod";
import { completeForApp } from "../../../chat/completions/complete.service.ts";
import { collectNewest } from "../../../chat/history/collect-messages.ts";
import type { OnDelta } from "../../../context.ts";
import { HubError } from "../../../errors.ts";
import { joinPieces, joinReplies } from "../../joined-replies.ts";
import { proceduresFor } from "../mcp-call.ts";
import { defineTool, soulId, type ToolCall } from "./tool.ts";

const sessionToken = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/)
  .describe("The room, as talk_to_soul returned it.");

const talkToSoul = defineTool({
  name: "talk_to_soul",
  title: "Talk to a soul",
  description:
    "Sends a message to a soul and returns its reply. Without `session_token` it begins a private room, and returns the room's token for the next message.",
  need: "chat",
  reads: false,
  input: z.object({
    soul_id: soulId,
    message: z.string().min(1).max(100_000),
    session_token: sessionToken.optional(),
    deep_think: z.boolean().default(false),
  }),
  output: z.object({
    reply: z.string(),
    session_token: z.string().nullable().describe("Null if nothing was stored."),
    message_id: z.int().nullable(),
    url: z.string().nullable().describe("The room on the hub's page."),
  }),
  async run(call, input) {
    const { caller } = call;
    const isFree = "account" in caller && caller.account.tier === "free";
    if (isFree && input.session_token === undefined) return replyAlone(call, input);
    return replyInRoom(call, input);
  },
});

interface Message {
  soul_id: number;
  message: string;
  session_token?: string | undefined;
  deep_think: boolean;
}

async function replyInRoom(
  call: ToolCall,
  { soul_id, message, session_token, deep_think }: Message,
) {
  const isNew = session_token === undefined;
  const token = session_token ?? randomBytes(16).toString("hex");
  const sent = await proceduresFor(call, deltas(call)).chat.send({
    soul_id,
    session_token: token,
    content: message,
    is_private: isNew,
    deep_think,
  });
  const { message_id } = sent;
  const text = joinReplies(sent);
  const url = `${call.ctx.hub.config.baseUrl}/chat/${soul_id}/${token}`;
  return { output: { reply: text, session_token: token, message_id, url }, text };
}

/** Without a pass, the caller's own provider pays, and nothing is stored. */
async function replyAlone(call: ToolCall, { soul_id, message, deep_think }: Message) {
  const { ctx, caller, disconnected } = call;
  if (!("account" in caller)) throw new HubError("unauthenticated");
  const onDelta = deltas(call);
  const { text } = await completeForApp(
    { ...ctx, caller, db: ctx.hub.database.db, ...(onDelta && { onDelta }) },
    {
      soul_id,
      ownProvider: false,
      instructions: [],
      messages: [{ role: "user", content: message }],
      deepThink: deep_think,
      choices: {},
    },
    disconnected,
  );
  return { output: { reply: text, session_token: null, message_id: null, url: null }, text };
}

const deltas = ({ onText }: ToolCall): OnDelta | undefined => onText && joinPieces(onText);

/** The messages of one answer, and those that are read for it with the ones that are left out. */
const BOUNDS = { messages: 200, pageSize: 500, readAtMost: 10_000, chars: Infinity };

const readRoom = defineTool({
  name: "read_room",
  title: "Read a room",
  description:
    "Returns the newest messages of a room, in the order of the conversation. Messages that people wrote off the record are for people: ask for them only if a person wants you to.",
  need: "chat",
  reads: true,
  input: z.object({
    soul_id: soulId,
    session_token: sessionToken,
    last_id: z.int().min(0).default(0).describe("Leaves out this message and earlier ones."),
    off_record: z.boolean().default(false).describe("Adds the messages off the record, marked."),
  }),
  output: z.object({
    messages: z.array(
      z.object({
        id: z.int(),
        role: z.string(),
        sender_name: z.string(),
        content: z.string(),
        created_at: z.string().describe("UTC."),
        off_record: z.literal(true).optional().describe("The message is for people only."),
      }),
    ),
    has_more: z.boolean().describe("True if older messages were left out."),
  }),
  async run({ procedures }, { last_id, off_record, ...room }) {
    const read = async (limit: number, before_id?: number) => {
      if (before_id !== undefined && before_id <= last_id) return [];
      const page = await procedures.chat.history({ ...room, limit, before_id, path: "active" });
      return page.messages;
    };
    const { messages, is_complete } = await collectNewest(read, {
      ...BOUNDS,
      isWanted: ({ id, audience, removed }) =>
        id > last_id && !removed && (off_record || audience !== "people"),
    });
    return {
      output: {
        messages: messages.map(({ id, role, sender_name, content, created_at, audience }) => ({
          id,
          role,
          sender_name,
          content,
          created_at: created_at ?? "",
          ...(audience === "people" && { off_record: true as const }),
        })),
        has_more: !is_complete,
      },
    };
  },
});

export const roomTools = [talkToSoul, readRoom];
