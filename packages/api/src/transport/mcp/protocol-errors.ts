import { ProtocolError } from "@modelcontextprotocol/server";
import type { HubError } from "../../errors.ts";
import { failureOf, logUnforeseen } from "../http/error-responses.ts";
import type { McpCall } from "./mcp-call.ts";
import { INTERNAL_ERROR } from "./mcp-errors.ts";

/** A code of JSON-RPC 2.0, section 5.1. */
const INVALID_PARAMS = -32_602;

/** The failure of a prompt or a resource: the protocol has no other form for these. */
export function protocolFailure({ ctx }: McpCall, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const failure = failureOf(error);
  logUnforeseen(ctx.log, failure);
  const code = failure.status < 500 ? INVALID_PARAMS : INTERNAL_ERROR;
  return new ProtocolError(code, messageOf(failure), { error: failure.code });
}

/** @param field the name of the wrong argument */
export const invalidArgument = (field: string, message: string): ProtocolError =>
  new ProtocolError(INVALID_PARAMS, `${field} ${message}.`, { error: "invalid_input", field });

function messageOf({ details, message }: HubError): string {
  const [detail] = details ?? [];
  return detail ? `${detail.field} ${detail.message}.` : message;
}
