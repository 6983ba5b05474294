import { z } from "zod";
import type { ModelChoices, ToolCall } from "../../chat/models/model-port.ts";
import { isJsonObject } from "../../trpc/well-formed.ts";
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
import { refused } from "./v1-errors.ts";

// The body of POST /v1/responses.

const textPart = z.object({
  type: z.enum(["input_text", "output_text", "text"]),
  text: z.string(),
});
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({
  type: z.literal("input_image"),
  image_url: z.string("must be a data URI"),
});
const partsAre = { error: "must be a text or a list of text and image parts" };
const content = z.union(
  [z.string(), z.array(z.union([textPart, refusalPart, imagePart], partsAre))],
  partsAre,
);

const messageItem = z.object({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content,
});
const callItem = z.object({
  type: z.literal("function_call"),
  call_id: z.string().max(200),
  name: z.string().max(200),
  arguments: z.string(),
});
const outputItem = z.object({
  type: z.literal("function_call_output"),
  call_id: z.string().max(200),
  output: content,
});

/** An item or a tool, read by its type. Without one of these types it is ignored. */
const known = <Known extends z.ZodType>(schemas: Readonly<Record<string, Known>>) =>
  z.looseObject({ type: z.string().optional() }).transform((given, refinement) => {
    const schema = schemas[given.type ?? ""];
    if (!schema) return { ignored: given.type ?? "item" };
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data as z.output<Known>;
    for (const { path, message } of parsed.error.issues)
      refinement.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  });

const inputItem = known<typeof messageItem | typeof callItem | typeof outputItem>({
  "": messageItem,
  message: messageItem,
  function_call: callItem,
  function_call_output: outputItem,
});
const tool = known({
  function: functionTool.extend({ type: z.literal("function") }),
});

export const responsesBody = z.object({
  model: z.string().max(300),
  input: z.union([z.string(), z.array(inputItem).min(1)], {
    error: "must be a text or a list of items",
  }),
  instructions: z.string().nullish(),
  stream,
  temperature,
  top_p: topP,
  max_output_tokens: maxTokens,
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  text: z
    .looseObject({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("text") }),
          z.object({ type: z.literal("json_object") }),
          schemaFormat.extend({ type: z.literal("json_schema") }),
        ])
        .nullish(),
    })
    .nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  metadata,
  top_logprobs: z.literal(0, "is not supported").nullish(),
  previous_response_id: z.null("is not supported; send the whole conversation").optional(),
  conversation: z.null("is not supported; send the whole conversation").optional(),
  background: unsupported,
  prompt: z.null("is not supported").optional(),
});

export type ResponsesBody = z.output<typeof responsesBody>;

interface ResponsesCall extends V1Call {
  /** The types of tools and items that were left out. */
  ignored: string[];
}

/**
 * Reads a call of responses.
 * @param session the header `X-Soul-Hub-Session`
 * @throws HubError `invalid_input`, `image_invalid`
 */
export function readResponsesCall(
  body: ResponsesBody,
  session: string | string[] | undefined,
): ResponsesCall {
  const given = typeof body.input === "string" ? [userItem(body.input)] : body.input;
  const items = given.filter((item) => !("ignored" in item)) as KnownItem[];
  const tools = body.tools ?? [];
  const ignored = [...given, ...tools].flatMap((one) => ("ignored" in one ? one.ignored : []));
  const before: Item[] = body.instructions ? [{ role: "system", text: body.instructions }] : [];
  return {
    model: body.model,
    isStream: body.stream === true,
    conversation: toConversation([...before, ...toItems(items)], "input"),
    deepThink: isDeepThink(body.reasoning?.effort),
    choices: choicesOf(body),
    sessionToken: sessionTokenOf(body.metadata, session),
    ignored: [...new Set(ignored)],
  };
}

type KnownItem = z.output<typeof messageItem | typeof callItem | typeof outputItem>;

const userItem = (text: string): KnownItem => ({ role: "user", content: text });

function choicesOf({ tools, tool_choice, text, ...body }: ResponsesBody): ModelChoices {
  const functions = (tools ?? []).flatMap((one) => ("ignored" in one ? [] : toModelTool(one)));
  assertFewTools(functions);
  const format = text?.format;
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    maxOutputTokens: body.max_output_tokens ?? undefined,
    json:
      format?.type === "json_schema"
        ? toJsonFormat(format)
        : format?.type === "json_object"
          ? {}
          : undefined,
    ...(functions.length > 0 && { tools: functions, toolChoice: toToolChoice(tool_choice) }),
  };
}

/** The choice of another tool than a function leaves the choice to the model. */
function toToolChoice(choice: ResponsesBody["tool_choice"]): ModelChoices["toolChoice"] {
  if (choice === "none" || choice === "auto" || choice === "required") return choice;
  if (!isJsonObject(choice) || choice.type !== "function") return undefined;
  const name = toolName.safeParse(choice.name);
  if (!name.success) throw refused("tool_choice.name", "must be the name of a tool");
  return { name: name.data };
}

/** The calls of tools are items of their own here; elsewhere they belong to the message before. */
function toItems(items: readonly KnownItem[]): Item[] {
  const read: Item[] = [];
  for (const item of items) {
    if (item.type === "function_call") {
      const call: ToolCall = { id: item.call_id, name: item.name, arguments: item.arguments };
      const before = read.at(-1);
      if (before?.role === "assistant") {
        read.splice(-1, 1, { ...before, toolCalls: [...before.toolCalls, call] });
      } else read.push({ role: "assistant", text: "", toolCalls: [call] });
    } else if (item.type === "function_call_output") {
      read.push({ role: "tool", callId: item.call_id, text: textOf(item.output) });
    } else read.push(toMessage(item));
  }
  return read;
}

function toMessage({ role, content: given }: z.output<typeof messageItem>): Item {
  const text = textOf(given);
  if (role === "user") return { role, text, images: imagesOf(given) };
  if (role === "assistant") return { role, text, toolCalls: [] };
  return { role: "system", text };
}

type Content = z.output<typeof content>;

const textOf = (given: Content): string =>
  typeof given === "string"
    ? given
    : given
        .flatMap((part) =>
          part.type === "input_image" ? [] : part.type === "refusal" ? part.refusal : part.text,
        )
        .join("\n");

const imagesOf = (given: Content): string[] =>
  typeof given === "string"
    ? []
    : given.flatMap((part) => (part.type === "input_image" ? part.image_url : []));
