import "../../error-messages/further-error-messages.ts";
import { type Failure, failureFor, failureOf } from "../../failures.ts";

/** A refused file, with the body of the hub's answer. */
class FileRefused extends Error {
  readonly body: { error?: unknown; details?: unknown };

  constructor(body: { error?: unknown; details?: unknown; message?: unknown }) {
    super(typeof body.message === "string" ? body.message : "");
    this.body = body;
  }
}

/**
 * Sends a file to the hub, as it is. A file that is too large is not sent, because the hub would end
 * the connection before the browser has read its answer.
 * @throws FileRefused; TypeError without a connection
 */
export async function sendFile<Answer>(
  address: string,
  file: File,
  maxBytes: number,
): Promise<Answer> {
  if (file.size > maxBytes) throw new FileRefused({ error: "body_too_large" });
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": mediaTypeOf(file) },
    body: file,
  });
  const body: unknown = await response.json();
  if (!response.ok) throw new FileRefused(body as FileRefused["body"]);
  return body as Answer;
}

/** The bytes decide what a file is, but only a Markdown may begin like JSON or a web page. */
const mediaTypeOf = ({ name }: File): string =>
  /\.(?:md|mdc|markdown|txt)$/i.test(name) ? "text/markdown" : "application/octet-stream";

/**
 * Options of a query that sends a file. Each answer costs an upload, so the query runs once, also
 * without a connection.
 */
export const askedOnce = {
  retry: false,
  networkMode: "always",
  staleTime: "static",
  gcTime: 0,
} as const;

/** Translates an error of {@link sendFile} into a message, with the reason why a file is unreadable. */
export function fileFailure(error: Error): Failure {
  if (!(error instanceof FileRefused)) return failureOf(error);
  const { body, message } = error;
  const failure = failureFor(String(body.error), body, message);
  const [[field, reason] = []] = Object.entries(failure.fields);
  const why = reason && (field ? `${field}: ${reason}.` : `It ${lowerFirst(reason)}.`);
  return why ? { ...failure, hint: why } : failure;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
