import { setTimeout as sleep } from "node:timers/promises";
import type { LRUCache } from "lru-cache";
import { HubError } from "../../errors.ts";
import type { ModelEnd, ModelRequest, ToolCall } from "./model-port.ts";
import { toFinishReason, toProviderCall } from "./provider-call.ts";
import type { ProviderModel } from "./provider-client.ts";
import type { CalledModel } from "./provider-fault.ts";
import {
  readFault,
  toHubError,
  toldStatus,
  UnusableReply,
  unusableCall,
} from "./provider-fault.ts";
import { ReplyParts } from "./streaming/reply-parts.ts";
import { HOLD_MS, ReplyText } from "./streaming/reply-text.ts";

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
  /** The models of the provider whose last reply had reasoning without its opening tag. */
  thinkers: LRUCache<string, true>;
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

/**
 * Streams one call to a provider, with retry, time limits and cancellation (decisions §5, Provider).
 * Yields pieces of text and returns the token counts.
 * @throws HubError `provider_failed` or `provider_timeout`; the signal's reason if it aborts
 */
export async function* streamModel(call: ModelCall): AsyncGenerator<string, ModelEnd, undefined> {
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
        if (error instanceof HubError) throw error;
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

const startStream = async ({ model, request, maxOutputTokens }: ModelCall, signal: AbortSignal) =>
  (await model.doStream({ ...toProviderCall(request, maxOutputTokens), abortSignal: signal }))
    .stream;

/** Calls `doStream`, which takes less than half the CPU time of `streamText` (docs/decisions/0015). */
async function* streamAttempt(
  call: ModelCall,
  signal: AbortSignal,
  onChunk: (isToken: boolean) => void,
): AsyncGenerator<string, ModelEnd, undefined> {
  signal.throwIfAborted();
  const isForApp = call.request.choices !== undefined;
  const start = () =>
    startStream(call, signal).catch((error: unknown) => {
      throw (isForApp && unusableCall(call.called, error)) || error;
    });
  // Anthropic's package may take the text of a JSON reply for a tool's call.
  const parts = new ReplyParts(start, signal, !call.request.choices?.json);
  const { provider, model } = call.called;
  const reply = new ReplyText({
    readsTags: provider === "openai-compatible",
    isHeld: call.thinkers.has(model),
  });
  let length = 0;
  let end: ModelEnd | null = null;
  const toolCalls: ToolCall[] = [];
  const late = Promise.withResolvers<"late">();
  let holdTimer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const reading = parts.next();
      if (reply.isWaiting) {
        holdTimer ??= setTimeout(late.resolve, HOLD_MS, "late");
        if ((await Promise.race([reading, late.promise])) === "late") {
          onChunk(true);
          yield reply.release();
        }
      }
      const part = await reading;
      if (!part) break;
      const text = part.type === "text-delta" ? reply.add(part.delta) : "";
      onChunk(text !== "");
      length += text.length;
      if (length > MAX_REPLY_LENGTH) throw new UnusableReply("OversizedReply", false);
      if (text !== "") yield text;
      if (part.type === "error") {
        if (part.error instanceof Error) throw part.error;
        // The error part contains the provider's own text, which is neither logged nor shown.
        throw new UnusableReply("ErrorInStream", true, toldStatus(part.error));
      } else if (part.type === "tool-call") {
        const { toolCallId: id, toolName: name, input } = part;
        toolCalls.push({ id, name, arguments: input.replaceAll("\0", "").toWellFormed() });
      } else if (part.type === "finish") {
        checkFinish(part.finishReason, isForApp);
        end = {
          ...call.called,
          finish: toFinishReason(part.finishReason.unified),
          toolCalls,
          inputTokens: part.usage.inputTokens.total ?? null,
          outputTokens: part.usage.outputTokens.total ?? null,
        };
      }
    }
    signal.throwIfAborted();
    if (!end) throw new UnusableReply("IncompleteReply", true);
    const text = reply.end();
    if (text !== "") yield text;
    // An app learns why a reply of another end is empty.
    const mayBeBlank = isForApp && (end.finish !== "stop" || toolCalls.length > 0);
    if (reply.isBlank && !mayBeBlank) throw new UnusableReply("EmptyReply", false);
    // One person's prompt must not hold back the replies to all others for good.
    if (end.finish === "stop" && !reply.hasUnopened) call.thinkers.delete(model);
    const { correction } = reply;
    return correction === undefined ? end : { ...end, correction };
  } finally {
    if (reply.hasUnopened) call.thinkers.set(model, true);
    clearTimeout(holdTimer);
    parts.cancel();
  }
}

/** Refused, filtered and broken replies of some providers end with a regular `finish` part. */
function checkFinish(
  { unified, raw }: { unified: string; raw?: string | undefined },
  isForApp: boolean,
) {
  if (unified === "content-filter" && !isForApp) {
    // A provider's filter has a reason of its own. A refusal is written by the model.
    const isRefusal = raw === "stop" || raw === "refusal";
    throw new UnusableReply(isRefusal ? "RefusedReply" : "FilteredReply", false);
  }
  if (unified === "error" || unified === "interrupted")
    throw new UnusableReply("IncompleteReply", true);
}
