import type { FastifyReply, FastifyRequest } from "fastify";
import { beginErrorResponse, failureOf, logUnforeseen } from "../http/error-responses.ts";
import type { McpCall } from "./mcp-call.ts";

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
export const INTERNAL_ERROR = -32_603;

/** Sends the failure of a request that no handler of the protocol has seen. */
export function sendMcpError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = beginErrorResponse(error, request, reply);
  // Without `resource_metadata`, no client looks for an OAuth server.
  if (failure.status === 401) reply.header("www-authenticate", 'Bearer error="invalid_token"');
  const code =
    failure.code === "invalid_json"
      ? PARSE_ERROR
      : failure.status < 500
        ? INVALID_REQUEST
        : INTERNAL_ERROR;
  const data = { error: failure.code, request_id: request.id };
  const body = { jsonrpc: "2.0", id: null, error: { code, message: failure.message, data } };
  return reply.header("content-type", "application/json").send(JSON.stringify(body));
}

/** Returns a failure as the result of a tool, which the model reads. */
export function toolFailure({ ctx }: McpCall, error: unknown) {
  const failure = failureOf(error);
  logUnforeseen(ctx.log, failure);
  const { code, message, details, extra } = failure;
  const body = { error: code, message, ...(details && { details }), ...extra };
  return { isError: true, content: [{ type: "text" as const, text: JSON.stringify(body) }] };
}
