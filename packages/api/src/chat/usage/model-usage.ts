import type { Hub } from "../../context.ts";
import { type FailureCode, HubError } from "../../errors.ts";
import type { ModelPort, ModelRequest, ModelUsage } from "../models/model-port.ts";
import { ProviderFault } from "../models/provider-fault.ts";

/** On whose account a call to a model goes. */
export interface ModelCallFor {
  /** Null for a guest. */
  accountId: number | null;
  /** The account's own provider, called instead of the platform's and not at its cost. */
  ownModels?: ModelPort;
}

/**
 * Calls a model and records what the call cost and how it ended: a usage row for the operator, and
 * /metrics. The one way to a provider for replies, summaries and self-chat. Recording takes no time
 * of the reply's and never fails it.
 * @throws whatever the model's `stream` throws
 */
export async function* callModel(
  hub: Hub,
  request: ModelRequest,
  { accountId, ownModels }: ModelCallFor,
): AsyncGenerator<string, ModelUsage, undefined> {
  const models = ownModels ?? hub.models;
  const start = performance.now();
  let firstTokenMs: number | null = null;
  let usage: ModelUsage | null = null;
  // What stands when whoever reads stops early.
  let outcome: FailureCode | "ok" = "cancelled";
  // Stops the provider, too, where the reader stops early.
  await using stream = models.stream(request);
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) {
        usage = next.value;
        outcome = "ok";
        return usage;
      }
      firstTokenMs ??= msSince(start);
      yield next.value;
    }
  } catch (error) {
    outcome = outcomeOf(request.signal.aborted ? request.signal.reason : error);
    // Whoever brought their own provider is told what it refuses (own-models.ts); of the platform's the operator must know.
    if (!ownModels) logFault(hub, error);
    throw error;
  } finally {
    const called = usage ?? readModelId(models.routes[request.route] ?? models.routes.text ?? "");
    hub.modelUsage.record({
      account_id: accountId,
      provider: called.provider,
      model: called.model,
      route: request.route,
      own_key: ownModels !== undefined,
      input_tokens: countOrNull(usage?.inputTokens),
      output_tokens: countOrNull(usage?.outputTokens),
      first_token_ms: firstTokenMs,
      total_ms: msSince(start),
      outcome,
    });
  }
}

/** A wrong key, a model that is gone: the caller learns nothing of it. */
function logFault({ log }: Hub, error: unknown): void {
  if (!(error instanceof HubError && error.cause instanceof ProviderFault)) return;
  const { provider, model, name, status } = error.cause;
  log.warn({ provider, model, fault: name, status }, "a model failed to answer");
}

const msSince = (start: number): number => Math.round(performance.now() - start);

function outcomeOf(error: unknown): FailureCode {
  if (error instanceof HubError) return error.code;
  if (!(error instanceof Error)) return "internal";
  // A signal's own time limit, as a summary has one; its own abort.
  if (error.name === "TimeoutError") return "provider_timeout";
  return error.name === "AbortError" ? "cancelled" : "internal";
}

/** `provider:model`, or `offline`. */
function readModelId(id: string) {
  const [provider = "", ...model] = id.split(":");
  return { provider, model: model.join(":") || provider };
}

const MAX_COUNT = 2_147_483_647;

/** A provider's number is foreign: one that is no count must not spoil the rows beside it. */
function countOrNull(given: number | null | undefined): number | null {
  const isCount = Number.isInteger(given) && Number(given) >= 0 && Number(given) <= MAX_COUNT;
  return isCount ? Number(given) : null;
}
