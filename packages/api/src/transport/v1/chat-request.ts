import { z } from "zod";
import type { ModelChoices } from "../../chat/models/model-port.ts";
import { type Item, toConversation } from "./conversation.ts";
import {
  assertFewTools,
  functionTool,
  isDeepThink,
  maxTokens,
  metadata,
  schemaFormat,
  sessionTokenOf,
  stream,
  temperature,
  toJsonFormat,
  toModelTool,
  toolName,
  topP,
  unsupported,
} from "./shared-fields.ts";
import type { V1Call } from "./v1-call.ts";

// The body of POST /v1/chat/completions.

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({
  type: z.literal("image_url"),
  image_url: z.union([z.string(), z.object({ url: z.string() })]),
});
const partsAre = { error: "must be a text or a list of parts of the types text and image_url" };
const texts = z.union([z.string(), z.array(textPart)], partsAre);
const toolCall = z.object({
  id: z.string().max(200),
  type: z.literal("function"),
  function: z.object({ name: z.string().max(200), arguments: z.string() }),
});

const chatMessage = z.discriminatedUnion("role", [
  z.object({ role: z.enum(["system", "developer"]), content: texts }),
  z.object({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.union([textPart, imagePart], partsAre))], partsAre),
  }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.union([textPart, refusalPart]))], partsAre).nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string().max(200), content: texts }),
]);

const penalty = z.number().min(-2).max(2).nullish();
const stopText = z.string().min(1).max(200);

export const chatBody = z.object({
  model: z.string().max(300),
  messages: z.array(chatMessage).min(1),
  stream,
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature,
  top_p: topP,
  max_tokens: maxTokens,
  max_completion_tokens: maxTokens,
  stop: z.union([stopText, z.array(stopText).max(4)]).nullish(),
  seed: z.int().nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  reasoning_effort: z.string().nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("text") }),
      z.object({ type: z.literal("json_object") }),
      z.object({ type: z.literal("json_schema"), json_schema: schemaFormat }),
    ])
    .nullish(),
  tools: z.array(z.object({ type: z.literal("function"), function: functionTool })).nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.object({ type: z.literal("function"), function: z.object({ name: toolName }) }),
    ])
    .nullish(),
  metadata,
  n: z.literal(1, "must be 1").nullish(),
  logprobs: unsupported,
  top_logprobs: z.literal(0, "is not supported").nullish(),
  audio: unsupported,
  modalities: z.array(z.literal("text", "must be text")).nullish(),
  functions: unsupported,
  function_call: unsupported,
});

type ChatBody = z.output<typeof chatBody>;

/**
 * Reads a call of chat completions.
 * @param session the header `X-Soul-Hub-Session`
 * @throws HubError `invalid_input`, `image_invalid`
 */
export function readChatCall(body: ChatBody, session: string | string[] | undefined): V1Call {
  return {
    model: body.model,
    isStream: body.stream === true,
    conversation: toConversation(body.messages.map(toItem), "messages"),
    deepThink: isDeepThink(body.reasoning_effort),
    choices: choicesOf(body),
    sessionToken: sessionTokenOf(body.metadata, session),
  };
}

function choicesOf(body: ChatBody): ModelChoices {
  const { stop, response_format: format, tool_choice: choice } = body;
  const tools = (body.tools ?? []).map((tool) => toModelTool(tool.function));
  assertFewTools(tools);
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    // Some providers refuse an empty list, which some clients send.
    stop: typeof stop === "string" ? [stop] : stop?.length ? stop : undefined,
    seed: body.seed ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    json:
      format?.type === "json_schema"
        ? toJsonFormat(format.json_schema)
        : format?.type === "json_object"
          ? {}
          : undefined,
    ...(tools.length > 0 && {
      tools,
      toolChoice: typeof choice === "object" ? choice?.function : choice,
    }),
  };
}

function toItem(message: z.output<typeof chatMessage>): Item {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", text: textOf(message.content) };
    case "user":
      return { role: "user", text: textOf(message.content), images: imagesOf(message.content) };
    case "assistant": {
      const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
        id,
        ...called,
      }));
      return { role: "assistant", text: textOf(message.content ?? ""), toolCalls };
    }
    case "tool":
      return { role: "tool", callId: message.tool_call_id, text: textOf(message.content) };
  }
}

type Part = z.output<typeof textPart | typeof refusalPart | typeof imagePart>;

const textOf = (content: string | readonly Part[]): string =>
  typeof content === "string"
    ? content
    : content
        .flatMap((part) =>
          part.type === "text" ? part.text : part.type === "refusal" ? part.refusal : [],
        )
        .join("\n");

const imagesOf = (content: string | readonly Part[]): string[] =>
  typeof content === "string"
    ? []
    : content.flatMap((part) => {
        if (part.type !== "image_url") return [];
        return typeof part.image_url === "string" ? part.image_url : part.image_url.url;
      });
