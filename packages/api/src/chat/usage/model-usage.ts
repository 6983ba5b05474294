import type { Hub } from "../../context.ts";
import { type FailureCode, failureCodeOf } from "../../errors.ts";
import { currentCall, startSpan } from "../../tracing/call-scope.ts";
import type { ModelEnd, ModelPort, ModelRequest } from "../models/model-port.ts";
import { faultOf } from "../models/provider-fault.ts";
import { calledModel, chatSpanName, modelResult } from "./gen-ai.ts";
import { OWN_KEY_MODELS } from "./model-usage-log.ts";

export interface ModelCallFor {
  /** Id of the account that the call is recorded for; null for a guest. */
  accountId: number | null;
  /** Models called with the account's own provider key, instead of the platform's models. */
  ownModels?: ModelPort | undefined;
}

export interface WholeReply {
  text: string;
  usage: ModelEnd;
}

/**
 * Calls a model by {@link callModel}, and returns its whole reply.
 * @param onPiece receives each piece of the reply
 */
export async function readReply(
  hub: Hub,
  request: ModelRequest,
  callFor: ModelCallFor,
  onPiece?: (piece: string) => void,
): Promise<WholeReply> {
  let text = "";
  await using pieces = callModel(hub, request, callFor);
  for (;;) {
    const next = await pieces.next();
    if (next.done) return { text: next.value.correction ?? text, usage: next.value };
    onPiece?.(next.value);
    text += next.value;
  }
}

/**
 * Calls a model and records cost and outcome, as a usage row and in `/metrics`
 * (docs/decisions/0013). Replies, summary runs and self-chat all call models through this function.
 * Recording neither delays nor fails a reply.
 * @returns the usage with the token counts that the usage row contains
 * @throws what `ModelPort.stream` throws
 */
export async function* callModel(
  hub: Hub,
  request: ModelRequest,
  { accountId, ownModels }: ModelCallFor,
): AsyncGenerator<string, ModelEnd, undefined> {
  const models = ownModels ?? hub.models;
  const wanted = splitModelId(models.routes[request.route] ?? models.routes.text ?? "");
  const asked = currentCall()?.root;
  const shown = ownModels ? { ...wanted, model: OWN_KEY_MODELS } : wanted;
  const span = startSpan(chatSpanName(shown), {
    kind: "client",
    attributes: calledModel(shown),
    links: asked ? [asked] : [],
  });
  const start = performance.now();
  let firstTokenMs: number | null = null;
  let usage: ModelEnd | null = null;
  // The call's recorded outcome stays `cancelled` if the consumer stops reading before the end.
  let outcome: FailureCode | "ok" = "cancelled";
  // If the consumer stops reading, disposing the stream cancels the provider call.
  await using stream = models.stream(request);
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) {
        const { inputTokens, outputTokens, ...called } = next.value;
        usage = {
          ...called,
          inputTokens: countOrNull(inputTokens),
          outputTokens: countOrNull(outputTokens),
        };
        outcome = "ok";
        return usage;
      }
      firstTokenMs ??= msSince(start);
      yield next.value;
    }
  } catch (error) {
    outcome = failureCodeOf(request.signal.aborted ? request.signal.reason : error);
    // An error of a call with an account's own provider key is shown to that account only. Every
    // other error is logged for the operator.
    if (!ownModels) logFault(hub, error);
    throw error;
  } finally {
    const { provider, model } = usage ?? wanted;
    const ended = {
      account_id: accountId,
      provider,
      model,
      route: request.route,
      own_key: ownModels !== undefined,
      input_tokens: usage?.inputTokens ?? null,
      output_tokens: usage?.outputTokens ?? null,
      first_token_ms: firstTokenMs,
      total_ms: msSince(start),
      outcome,
    };
    span?.set(modelResult(ended));
    span?.end(outcome === "ok" ? undefined : { type: outcome, isFault: outcome !== "cancelled" });
    hub.modelUsage.record(ended);
  }
}

/** Logs a provider's failure, of which the caller receives the error code only. */
function logFault({ log }: Hub, error: unknown): void {
  const fault = faultOf(error);
  if (!fault) return;
  const { provider, model, name, status } = fault;
  log.warn({ provider, model, fault: name, status }, "a model call failed");
}

const msSince = (start: number): number => Math.round(performance.now() - start);

/** Splits `provider:model`. The id `offline` names both the provider and the model. */
function splitModelId(id: string) {
  const [provider = "", ...model] = id.split(":");
  return { provider, model: model.join(":") || provider };
}

const MAX_COUNT = 2_147_483_647;

/**
 * Returns null for a token count that its database column cannot hold. Otherwise one such count
 * would fail the insert of all usage rows in the batch.
 */
function countOrNull(given: number | null | undefined): number | null {
  const isCount = Number.isInteger(given) && Number(given) >= 0 && Number(given) <= MAX_COUNT;
  return isCount ? Number(given) : null;
}
