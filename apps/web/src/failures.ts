import { TRPCClientError } from "@trpc/client";
import { fromNow, fullDate, fullTime, timeOfDay } from "./clock.ts";
import {
  addedMessages,
  type ErrorMessage,
  errorMessages,
  type KnownCode,
} from "./error-messages/error-messages.ts";

export interface Failure extends ErrorMessage {
  code: string;
  /** The API's message for each invalid field, by name. */
  fields: Readonly<Record<string, string>>;
  /** When the quota resets: UTC, `YYYY-MM-DD HH:MM:SS`. */
  resetsAt: string | undefined;
  /** Whether a retry may succeed. */
  mayPass: boolean;
}

interface FailureData {
  error?: unknown;
  details?: unknown;
  quota?: { resets_at?: unknown; daily_limit?: unknown };
  /** With `account_deleting`. */
  deletes_at?: unknown;
  /** With `account_suspended` and `banned`. */
  until?: unknown;
  reason?: unknown;
}

/**
 * A failure that a page itself finds, without a call of the hub. It carries its own words, so that
 * they load with that page.
 */
export class PageFailure extends Error {
  readonly words: ErrorMessage;

  constructor(title: string, hint: string) {
    super(title);
    this.words = { title, hint };
  }
}

/** Translates an error thrown by a call into a message for the user. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof PageFailure) return { ...failureFor("page"), ...thrown.words };
  const data: FailureData =
    thrown instanceof TRPCClientError ? ((thrown.data ?? {}) as FailureData) : {};
  const code = typeof data.error === "string" ? data.error : codeWithoutData(thrown);
  return failureFor(code, data, thrown instanceof Error ? thrown.message : undefined);
}

/** The failure of a bare error code, e.g. that of a room's `reply-failed` event. */
export function failureFor(code: string, data: FailureData = {}, message?: string): Failure {
  const { resets_at: resetsAt, daily_limit: limit } = data.quota ?? {};
  const fields = readFields(data.details);
  return {
    ...messageFor(code, data.error === undefined ? undefined : message),
    ...(code === "invalid_input" && fieldsTitle(fields)),
    ...(code === "quota_exceeded" &&
      typeof limit === "number" && { title: `You have used today's ${limit} messages` }),
    ...closedHint(code, data),
    code,
    fields,
    resetsAt: typeof resetsAt === "string" ? resetsAt : undefined,
    mayPass: passing.has(code),
  };
}

/** The hint of a failure. For a used-up quota it contains the time of the reset. */
export const hintOf = ({ hint, resetsAt }: Failure): string =>
  resetsAt ? `New ones at ${timeOfDay(resetsAt)} (${fromNow(resetsAt)}).` : hint;

/** The hint of a closed or restricted account, with its date and the reason. */
function closedHint(code: string, data: FailureData): { hint?: string } {
  const { deletes_at: deletesAt, until, reason } = data;
  if (code === "account_deleting" && typeof deletesAt === "string") {
    return { hint: `That happens on ${fullDate(deletesAt)}. Until then you can undo it.` };
  }
  if (code === "banned" && typeof until === "string") {
    return { hint: `Its owner has banned you until ${fullTime(until)} (${fromNow(until)}).` };
  }
  if (code !== "account_suspended" || typeof reason !== "string") return {};
  const end = typeof until === "string" ? `It ends on ${fullDate(until)}.` : "It has no end yet.";
  return { hint: `Reason: ${reason}. ${end} ${errorMessages.account_suspended.hint}` };
}

const numbers = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"] as const;

function fieldsTitle(fields: Readonly<Record<string, string>>): { title?: string } {
  const count = Object.keys(fields).length;
  const number = numbers[count - 1];
  if (number === undefined) return {};
  return { title: `${number} ${count === 1 ? "field needs" : "fields need"} your attention` };
}

const passing: ReadonlySet<string> = new Set<KnownCode>([
  "offline",
  "internal",
  "overloaded",
  "shutting_down",
]);

/** A code that is newer than the page is shown with the API's own message. */
function messageFor(code: string, message: string | undefined): ErrorMessage {
  const words: Readonly<Record<string, ErrorMessage>> = { ...errorMessages, ...addedMessages };
  const known = Object.hasOwn(words, code) ? words[code] : undefined;
  if (known) return known;
  return message ? { title: message.replace(/\.$/, ""), hint: "" } : errorMessages.internal;
}

/**
 * The code of an error without data from the API: `offline` if no response arrived, else
 * `internal`.
 */
const codeWithoutData = (thrown: unknown): KnownCode =>
  thrown instanceof TRPCClientError || thrown instanceof TypeError ? "offline" : "internal";

function readFields(details: unknown): Record<string, string> {
  if (!Array.isArray(details)) return {};
  const pairs = details.flatMap((detail: unknown) => {
    const { field, message } = (detail ?? {}) as { field?: unknown; message?: unknown };
    if (typeof field !== "string" || typeof message !== "string") return [];
    return [[field, message.charAt(0).toUpperCase() + message.slice(1)] as const];
  });
  return Object.fromEntries(pairs.reverse());
}
