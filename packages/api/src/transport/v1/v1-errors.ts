import type { FastifyReply, FastifyRequest } from "fastify";
import { type FailureCode, HubError } from "../../errors.ts";
import { beginErrorResponse, failureOf, logUnforeseen } from "../http/error-responses.ts";

/** Codes that clients of `/v1` know under a name of OpenAI. All others keep the hub's own. */
const codes: Partial<Record<FailureCode, string>> = {
  unauthenticated: "invalid_api_key",
  soul_not_found: "model_not_found",
  input_too_long: "context_length_exceeded",
  quota_exceeded: "insufficient_quota",
};

function typeOf({ code, status }: HubError): string {
  if (code === "quota_exceeded") return "insufficient_quota";
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** Returns a failure as clients of OpenAI read it, with the field that is wrong as `param`. */
export function toV1Error(failure: HubError) {
  const { code, details, extra } = failure;
  const [detail] = details ?? [];
  const message = detail ? `${detail.field || "The body"} ${detail.message}.` : failure.message;
  return {
    message,
    type: typeOf(failure),
    param: detail?.field || null,
    code: codes[code] ?? code,
    ...(extra?.scope === undefined ? {} : { scope: extra.scope }),
  };
}

/** Sends a failure of `/v1`. The stock client repeats a call unless it is told not to. */
export function sendV1Error(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = beginErrorResponse(error, request, reply);
  const isFinal = failure.status === 409 || failure.code === "quota_exceeded";
  if (isFinal) reply.header("x-should-retry", "false");
  return reply.send(JSON.stringify({ error: toV1Error(failure), request_id: request.id }));
}

/** Logs a failure in the middle of a stream, and returns it. */
export function midwayError(error: unknown, request: FastifyRequest) {
  const failure = failureOf(error);
  logUnforeseen(request.log, failure);
  return toV1Error(failure);
}

/** The refusal of one field of a body. */
export const refused = (field: string, message: string): HubError =>
  new HubError("invalid_input", { details: [{ field, message }] });
