import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModel, ModelMessage } from "ai";
import { streamText } from "ai";
import type { ModelRequest, ModelUsage, PromptMessage } from "./model-port.ts";
import type { CalledModel } from "./provider-fault.ts";
import { readFault, toHubError, toTimeout, UnusableReply } from "./provider-fault.ts";

// The library writes its warnings to the process's stderr for every call otherwise.
globalThis.AI_SDK_LOG_WARNINGS = false;

export interface ModelCall {
  called: CalledModel;
  model: LanguageModel;
  request: Omit<ModelRequest, "route">;
  /** For the whole call, the second attempt included. */
  timeoutMs: number;
  /** Between the first attempt and the second. */
  retryDelayMs: number;
}

/**
 * One call to a provider, streamed. The second attempt, the time limit and the caller's signal
 * are kept here, once for every provider.
 * @throws HubError `provider_failed` or `provider_timeout`; the signal's reason when it aborted
 */
export async function* streamReply(call: ModelCall): AsyncGenerator<string, ModelUsage, undefined> {
  const { signal } = call.request;
  signal.throwIfAborted();
  const ending = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    ending.abort();
  }, call.timeoutMs);
  const onAbort = (): void => ending.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  let started = false;
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return yield* attemptReply(call, ending.signal, () => {
          started = true;
        });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (timedOut) throw toTimeout(call.called, !started);
        const facts = readFault(error);
        // After the first token a second attempt would say everything twice.
        if (attempt > 1 || started || !facts.retryable) throw toHubError(call.called, facts);
        // Cut short by an abort; the next attempt then ends at once and the catch above says why.
        await sleep(call.retryDelayMs, undefined, { signal: ending.signal }).catch(() => {});
      }
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    // Whoever stops reading early stops the provider, too.
    ending.abort();
  }
}

async function* attemptReply(
  call: ModelCall,
  signal: AbortSignal,
  onToken: () => void,
): AsyncGenerator<string, ModelUsage, undefined> {
  signal.throwIfAborted();
  const { request } = call;
  const result = streamText({
    model: call.model,
    instructions: request.instructions,
    messages: request.messages.map(toModelMessage),
    ...(request.deepThink ? { reasoning: "high" as const } : {}),
    abortSignal: signal,
    maxRetries: 0,
    // The library's default prints the error, and with it the prompt.
    onError: () => {},
  });
  let blank = true;
  let usage: ModelUsage | null = null;
  for await (const part of result.stream) {
    if (part.type === "text-delta" && part.text !== "") {
      onToken();
      blank &&= part.text.trim() === "";
      yield part.text;
    } else if (part.type === "error") {
      throw part.error;
    } else if (part.type === "abort") {
      throw new UnusableReply("Aborted", false);
    } else if (part.type === "finish") {
      checkFinish(part.finishReason);
      usage = {
        ...call.called,
        inputTokens: part.totalUsage.inputTokens ?? null,
        outputTokens: part.totalUsage.outputTokens ?? null,
      };
    }
  }
  if (!usage) throw new UnusableReply("HalfReply", true);
  if (blank) throw new UnusableReply("EmptyReply", false);
  return usage;
}

/** The library resolves a filtered reply, and with some providers a broken one, like a good one. */
function checkFinish(reason: string): void {
  if (reason === "content-filter") throw new UnusableReply("FilteredReply", false);
  if (reason === "error" || reason === "interrupted") throw new UnusableReply("HalfReply", true);
}

function toModelMessage(message: PromptMessage): ModelMessage {
  if (message.role === "assistant") return { role: "assistant", content: message.content };
  if (!message.image) return { role: "user", content: message.content };
  const { mediaType, data } = message.image;
  // An empty text is left out by the library; some providers refuse one.
  return {
    role: "user",
    content: [
      { type: "text", text: message.content },
      { type: "file", mediaType, data },
    ],
  };
}
