import type { FinishReason, ModelRequest, PromptMessage, ToolCall } from "./model-port.ts";
import type { ProviderModel } from "./provider-client.ts";

type ProviderCall = Parameters<ProviderModel["doStream"]>[0];
type Prompt = ProviderCall["prompt"];
type Schema = Extract<NonNullable<ProviderCall["responseFormat"]>, { type: "json" }>["schema"];

/**
 * Translates a request into the call of a provider package.
 * @param routeLimit the route's limit of output tokens
 */
export function toProviderCall(
  request: Pick<ModelRequest, "instructions" | "messages" | "deepThink" | "choices">,
  routeLimit: number | undefined,
): ProviderCall {
  const { instructions, messages, deepThink, choices = {} } = request;
  const limits = [choices.maxOutputTokens, routeLimit].filter((limit) => limit !== undefined);
  return withoutUndefined({
    prompt: [{ role: "system" as const, content: instructions }, ...messages.map(toModelMessage)],
    reasoning: deepThink ? ("high" as const) : undefined,
    maxOutputTokens: limits.length > 0 ? Math.min(...limits) : undefined,
    temperature: choices.temperature,
    topP: choices.topP,
    stopSequences: choices.stop && [...choices.stop],
    seed: choices.seed,
    presencePenalty: choices.presencePenalty,
    frequencyPenalty: choices.frequencyPenalty,
    responseFormat: choices.json && { type: "json" as const, ...toJsonFormat(choices.json) },
    tools: choices.tools?.map(({ name, description, parameters, strict }) =>
      withoutUndefined({
        type: "function" as const,
        name,
        description,
        inputSchema: parameters as NonNullable<Schema>,
        strict,
      }),
    ),
    toolChoice: choices.toolChoice && toToolChoice(choices.toolChoice),
  });
}

type Choices = NonNullable<ModelRequest["choices"]>;

const toJsonFormat = ({ schema, ...names }: NonNullable<Choices["json"]>) => ({
  ...names,
  ...(schema && { schema: schema as NonNullable<Schema> }),
});

const toToolChoice = (choice: NonNullable<Choices["toolChoice"]>) =>
  typeof choice === "string"
    ? ({ type: choice } as const)
    : ({ type: "tool", toolName: choice.name } as const);

/** The provider packages take a missing field, but no field that is undefined. */
type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

const withoutUndefined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;

/** Unknown reasons of a provider read as the end of the reply. */
export function toFinishReason(reason: string): FinishReason {
  if (reason === "length") return "length";
  if (reason === "tool-calls") return "tool_calls";
  return reason === "content-filter" ? "content_filter" : "stop";
}

function toModelMessage(message: PromptMessage): Prompt[number] {
  const { role, content } = message;
  // Some providers reject an empty text part.
  const text = content === "" ? [] : [{ type: "text" as const, text: content }];
  if (role === "assistant") {
    const calls = (message.toolCalls ?? []).map(toCallPart);
    return {
      role,
      content: calls.length > 0 ? [...text, ...calls] : [{ type: "text", text: content }],
    };
  }
  if (role === "tool") {
    const { callId: toolCallId, name: toolName } = message;
    const output = { type: "text" as const, value: content };
    return { role, content: [{ type: "tool-result", toolCallId, toolName, output }] };
  }
  const { image } = message;
  const file = image && {
    type: "file" as const,
    mediaType: image.mediaType,
    data: { type: "data" as const, data: image.data },
  };
  return { role, content: file ? [...text, file] : text };
}

const toCallPart = ({ id, name, arguments: json }: ToolCall) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: name,
  input: parseArguments(json),
});

/** Small models write arguments that are no JSON. The provider gets them as they are. */
export function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return json;
  }
}
