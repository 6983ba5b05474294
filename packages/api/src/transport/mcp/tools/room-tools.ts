import { randomBytes } from "node:crypto";
import { z } from "zod";
import { completeForApp } from "../../../chat/completions/complete.service.ts";
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

const readRoom = defineTool({
  name: "read_room",
  title: "Read a room",
  description: "Returns the newest messages of a room, oldest first.",
  need: "chat",
  reads: true,
  input: z.object({
    soul_id: soulId,
    session_token: sessionToken,
    last_id: z.int().min(0).default(0).describe("Leaves out this message and earlier ones."),
  }),
  output: z.object({
    messages: z.array(
      z.object({
        id: z.int(),
        role: z.string(),
        sender_name: z.string(),
        content: z.string(),
        created_at: z.string().describe("UTC."),
      }),
    ),
    has_more: z.boolean().describe("True if older messages were left out."),
  }),
  async run({ procedures }, { soul_id, session_token, last_id }) {
    const read = await procedures.chat.history({ soul_id, session_token });
    const newer = read.messages.filter(({ id }) => id > last_id);
    const messages = newer.map(({ id, role, sender_name, content, created_at }) => ({
      id,
      role,
      sender_name,
      content,
      created_at: created_at ?? "",
    }));
    return {
      output: { messages, has_more: read.has_more && newer.length === read.messages.length },
    };
  },
});

export const roomTools = [talkToSoul, readRoom];
