import { setTimeout as sleep } from "node:timers/promises";
import type { ModelRequest, ModelUsage, PromptMessage } from "./model-port.ts";
import type { ProviderModel } from "./provider-client.ts";
import type { CalledModel } from "./provider-fault.ts";
import { readFault, toHubError, UnusableReply } from "./provider-fault.ts";

export interface ModelCall {
  called: CalledModel;
  model: ProviderModel;
  request: Omit<ModelRequest, "route">;
  /** Time limit of the whole model call, including the retry. */
  timeoutMs: number;
  maxOutputTokens?: number | undefined;
  /** Delay before the retry, unless the provider sends `Retry-After`. */
  retryDelayMs: number;
  /** Function that waits before the retry. Tests replace it. */
  sleep?: typeof sleep | undefined;
  /** Whether responses with status 408 or 429 are retried, too. */
  retries4xx: boolean;
  onFirstToken?: () => void;
}

/**
 * Time limit between two chunks of a stream (docs/decisions/0015). It applies after the first token
 * only, because models may reason silently before it.
 */
const SILENCE_MS = 20_000;
/** Longest reply in UTF-16 code units, about 50,000 tokens. A longer one is cancelled. */
const MAX_REPLY_LENGTH = 200_000;
/** Longest delay before a retry. After a longer `Retry-After` the call is not retried. */
const MAX_RETRY_PAUSE_MS = 3_000;

type Prompt = Parameters<ProviderModel["doStream"]>[0]["prompt"];

/**
 * Streams one call to a provider, with retry, time limits and cancellation (decisions §5, Provider).
 * Yields pieces of text and returns the token counts.
 * @throws HubError `provider_failed` or `provider_timeout`; the signal's reason if it aborts
 */
export async function* streamModel(call: ModelCall): AsyncGenerator<string, ModelUsage, undefined> {
  const { signal } = call.request;
  signal.throwIfAborted();
  const attempts = new AbortController();
  let exceeded: "total" | "silence" | undefined;
  const expire = (limit: "total" | "silence") => () => {
    exceeded = limit;
    attempts.abort();
  };
  const totalTimer = setTimeout(expire("total"), call.timeoutMs);
  let silenceTimer: NodeJS.Timeout | undefined;
  let isComplete = false;
  const onAbort = (): void => attempts.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  const onChunk = (isToken: boolean) => {
    silenceTimer?.refresh();
    if (!isToken || silenceTimer) return;
    silenceTimer = setTimeout(expire("silence"), SILENCE_MS);
    call.onFirstToken?.();
  };
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const usage = yield* streamAttempt(call, attempts.signal, onChunk);
        isComplete = true;
        return usage;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        // A total timeout while the reply is still streaming is no outage of the provider.
        if (exceeded) {
          const outage = exceeded === "silence" || !silenceTimer;
          const timeout = { name: "ProviderTimeout", status: null, retryable: false, outage };
          throw toHubError(call.called, timeout, "provider_timeout");
        }
        const facts = readFault(error);
        const pause = facts.retryAfterMs ?? call.retryDelayMs;
        const isRefusal = facts.status !== null && facts.status >= 400 && facts.status < 500;
        const mayRetry =
          facts.retryable && pause <= MAX_RETRY_PAUSE_MS && (call.retries4xx || !isRefusal);
        // A retry after the first token would repeat the text that was already sent.
        if (attempt > 1 || silenceTimer || !mayRetry) throw toHubError(call.called, facts);
        // If the call is aborted during this delay, the next attempt throws at once. The catch
        // block of that attempt then throws the right error.
        await (call.sleep ?? sleep)(pause, undefined, { signal: attempts.signal }).catch(() => {});
      }
    }
  } finally {
    clearTimeout(totalTimer);
    clearTimeout(silenceTimer);
    signal.removeEventListener("abort", onAbort);
    // A consumer that stops reading cancels the provider call.
    if (!isComplete) attempts.abort();
  }
}

/** Calls `doStream`, which takes less than half the CPU time of `streamText` (docs/decisions/0015). */
async function* streamAttempt(
  call: ModelCall,
  signal: AbortSignal,
  onChunk: (isToken: boolean) => void,
): AsyncGenerator<string, ModelUsage, undefined> {
  signal.throwIfAborted();
  const { stream } = await call.model.doStream({
    prompt: toPrompt(call.request),
    abortSignal: signal,
    ...(call.request.deepThink ? { reasoning: "high" } : {}),
    ...(call.maxOutputTokens === undefined ? {} : { maxOutputTokens: call.maxOutputTokens }),
  });
  let blank = true;
  let length = 0;
  let usage: ModelUsage | null = null;
  for await (const part of stream) {
    // PostgreSQL cannot store NUL, and a provider may send it.
    const text = part.type === "text-delta" ? part.delta.replaceAll("\0", "") : "";
    onChunk(text !== "");
    if (text !== "") {
      blank &&= text.trim() === "";
      length += text.length;
      if (length > MAX_REPLY_LENGTH) throw new UnusableReply("OversizedReply", false);
      yield text;
    } else if (part.type === "error") {
      if (part.error instanceof Error) throw part.error;
      // The error part contains the provider's own text, which is neither logged nor shown.
      throw new UnusableReply("ErrorInStream", true);
    } else if (part.type === "finish") {
      checkFinish(part.finishReason.unified);
      usage = {
        ...call.called,
        inputTokens: part.usage.inputTokens.total ?? null,
        outputTokens: part.usage.outputTokens.total ?? null,
      };
    }
  }
  signal.throwIfAborted();
  if (!usage) throw new UnusableReply("IncompleteReply", true);
  if (blank) throw new UnusableReply("EmptyReply", false);
  return usage;
}

/** Filtered replies, and broken ones of some providers, end with a regular `finish` part. */
function checkFinish(reason: string): void {
  if (reason === "content-filter") throw new UnusableReply("FilteredReply", false);
  if (reason === "error" || reason === "interrupted")
    throw new UnusableReply("IncompleteReply", true);
}

const toPrompt = ({ instructions, messages }: ModelCall["request"]): Prompt => [
  { role: "system", content: instructions },
  ...messages.map(toModelMessage),
];

function toModelMessage({ role, content, image }: PromptMessage): Prompt[number] {
  if (role === "assistant") return { role, content: [{ type: "text", text: content }] };
  return {
    role,
    content: [
      // Some providers reject an empty text part.
      ...(content === "" ? [] : [{ type: "text" as const, text: content }]),
      ...(image
        ? [
            {
              type: "file" as const,
              mediaType: image.mediaType,
              data: { type: "data" as const, data: image.data },
            },
          ]
        : []),
    ],
  };
}
