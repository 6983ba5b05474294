import { setTimeout as sleep } from "node:timers/promises";
import type { ModelRequest, ModelUsage, PromptMessage } from "./model-port.ts";
import type { ProviderModel } from "./provider-client.ts";
import type { CalledModel } from "./provider-fault.ts";
import { readFault, toHubError, toTimeout, UnusableReply } from "./provider-fault.ts";

export interface ModelCall {
  called: CalledModel;
  model: ProviderModel;
  request: Omit<ModelRequest, "route">;
  /** For the whole call, the second attempt included. */
  timeoutMs: number;
  maxOutputTokens?: number | undefined;
  /** Between the first attempt and the second, unless the provider names a time. */
  retryDelayMs: number;
  /** Waits between the attempts; a test's is quicker. */
  sleep?: typeof sleep | undefined;
  /** Also where the provider refuses the call with 408 or 429. */
  retries4xx: boolean;
  onFirstToken?: () => void;
}

/**
 * A stream that says nothing for so long is dead: its reader need not wait for the end of the
 * whole time. Only once it has begun, since models may think in silence (docs/decisions/0015).
 */
const SILENCE_MS = 20_000;
/** A reply beyond this is a model that can't stop. UTF-16 units, some 50,000 tokens. */
const MAX_REPLY_LENGTH = 200_000;
/** A provider that wants a longer pause than this is not asked a second time. */
const MAX_RETRY_PAUSE_MS = 3_000;

type Prompt = Parameters<ProviderModel["doStream"]>[0]["prompt"];

/**
 * One call to a provider, streamed. The second attempt, the time limits and the caller's signal
 * are kept here, once for every provider.
 * @throws HubError `provider_failed` or `provider_timeout`; the signal's reason when it aborted
 */
export async function* streamReply(call: ModelCall): AsyncGenerator<string, ModelUsage, undefined> {
  const { signal } = call.request;
  signal.throwIfAborted();
  const ending = new AbortController();
  let late: "in all" | "silent" | undefined;
  const endAs = (why: "in all" | "silent") => () => {
    late = why;
    ending.abort();
  };
  const inAll = setTimeout(endAs("in all"), call.timeoutMs);
  let silence: NodeJS.Timeout | undefined;
  let isWhole = false;
  const onAbort = (): void => ending.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  const heard = (isToken: boolean) => {
    silence?.refresh();
    if (!isToken || silence) return;
    silence = setTimeout(endAs("silent"), SILENCE_MS);
    call.onFirstToken?.();
  };
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const usage = yield* attemptReply(call, ending.signal, heard);
        isWhole = true;
        return usage;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        // A long reply that was still being written says nothing against the provider.
        if (late) throw toTimeout(call.called, late === "silent" || !silence);
        const facts = readFault(error);
        const pause = facts.retryAfterMs ?? call.retryDelayMs;
        const isRefusal = facts.status !== null && facts.status >= 400 && facts.status < 500;
        const mayRetry =
          facts.retryable && pause <= MAX_RETRY_PAUSE_MS && (call.retries4xx || !isRefusal);
        // After the first token a second attempt would say everything twice.
        if (attempt > 1 || silence || !mayRetry) throw toHubError(call.called, facts);
        // Cut short by an abort; the next attempt then ends at once and the catch above says why.
        await (call.sleep ?? sleep)(pause, undefined, { signal: ending.signal }).catch(() => {});
      }
    }
  } finally {
    clearTimeout(inAll);
    clearTimeout(silence);
    signal.removeEventListener("abort", onAbort);
    // Whoever stops reading early stops the provider, too. Nothing is left to stop otherwise, and an
    // abort costs a fiftieth of the call.
    if (!isWhole) ending.abort();
  }
}

/**
 * Asks the provider's model itself: the library's `streamText` around it, with steps, tools and
 * telemetry, took two thirds of a call's time (docs/decisions/0015).
 */
async function* attemptReply(
  call: ModelCall,
  signal: AbortSignal,
  heard: (isToken: boolean) => void,
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
    const isToken = part.type === "text-delta" && part.delta !== "";
    heard(isToken);
    if (isToken) {
      blank &&= part.delta.trim() === "";
      length += part.delta.length;
      if (length > MAX_REPLY_LENGTH) throw new UnusableReply("OversizedReply", false);
      yield part.delta;
    } else if (part.type === "error") {
      if (part.error instanceof Error) throw part.error;
      // The provider's own words, which nobody else is to see.
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
  if (!usage) throw new UnusableReply("HalfReply", true);
  if (blank) throw new UnusableReply("EmptyReply", false);
  return usage;
}

/** A filtered reply, and with some providers a broken one, comes to its end like a good one. */
function checkFinish(reason: string): void {
  if (reason === "content-filter") throw new UnusableReply("FilteredReply", false);
  if (reason === "error" || reason === "interrupted") throw new UnusableReply("HalfReply", true);
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
      // Some providers refuse an empty text beside an image.
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
