import { TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import { isConnectionError, isReadOnly, isStorageFull } from "../db/database-errors.ts";
import { type FailureCode, HubError } from "../errors.ts";
import { RETRY_AFTER_S } from "../maintenance.ts";

/**
 * Maps any thrown value to the error that the caller gets. An unexpected value becomes `internal`.
 */
export function toHubError(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  if (thrown instanceof TRPCError) {
    if (thrown.cause instanceof HubError) return thrown.cause;
    if (thrown.cause instanceof ZodError && thrown.code === "BAD_REQUEST") {
      return invalidInput(thrown.cause);
    }
    if (thrown.cause instanceof SyntaxError) return new HubError("invalid_json", { cause: thrown });
    const code = trpcFailures[thrown.code];
    if (code) return new HubError(code, { cause: thrown });
  }
  if (isStorageFull(thrown)) return new HubError("storage_full", { cause: thrown });
  if (isReadOnly(thrown))
    return new HubError("maintenance", { cause: thrown, retryAfter: RETRY_AFTER_S });
  if (isConnectionError(thrown)) return new HubError("overloaded", { cause: thrown });
  return new HubError("internal", { cause: thrown });
}

/** Maps the errors that tRPC itself raises before a procedure runs. */
const trpcFailures: Partial<Record<TRPCError["code"], FailureCode>> = {
  PARSE_ERROR: "invalid_json",
  BAD_REQUEST: "invalid_input",
  NOT_FOUND: "not_found",
  METHOD_NOT_SUPPORTED: "method_not_allowed",
  UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
  PAYLOAD_TOO_LARGE: "body_too_large",
};

/** The error of an input that its schema refuses. */
export const invalidInput = (error: ZodError): HubError =>
  new HubError("invalid_input", {
    details: error.issues.map((issue) => ({
      field: issue.path.join("."),
      message: isMissing(issue) ? "is required" : issue.message,
    })),
  });

const isMissing = ({ code, message }: ZodError["issues"][number]) =>
  code === "invalid_type" && message.endsWith("received undefined");
