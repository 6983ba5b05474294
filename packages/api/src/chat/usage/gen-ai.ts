import type { SpanAttributes } from "../../tracing/tracer.ts";
import type { EndedCall } from "./model-usage-log.ts";

/**
 * OpenTelemetry's names for calls of models. They are still in "Development", so they are in this
 * file alone (0070).
 */
const names = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  firstChunk: "gen_ai.response.time_to_first_chunk",
} as const;

/** OpenTelemetry's names of providers that differ from the hub's. */
const providers: Readonly<Record<string, string>> = { google: "gcp.gemini" };

type CalledModel = Pick<EndedCall, "provider" | "model">;

export const chatSpanName = ({ model }: CalledModel): string => `chat ${model}`;

export const calledModel = ({ provider, model }: CalledModel): SpanAttributes => ({
  [names.operation]: "chat",
  [names.provider]: providers[provider] ?? provider,
  [names.model]: model,
});

/** The results of a call. The time to the first chunk is in seconds. */
export const modelResult = (
  call: Pick<EndedCall, "input_tokens" | "output_tokens" | "first_token_ms">,
): SpanAttributes => ({
  ...(call.input_tokens !== null && { [names.inputTokens]: call.input_tokens }),
  ...(call.output_tokens !== null && { [names.outputTokens]: call.output_tokens }),
  ...(call.first_token_ms !== null && { [names.firstChunk]: call.first_token_ms / 1_000 }),
});
