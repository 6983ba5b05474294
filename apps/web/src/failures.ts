import { TRPCClientError } from "@trpc/client";
import { type KnownCode, type Words, words } from "./failure-words.ts";

export interface Failure extends Words {
  code: string;
  /** Wrong fields by name, in the hub's words. */
  fields: Readonly<Record<string, string>>;
  /** UTC, `YYYY-MM-DD HH:MM:SS`: when the quota is full again. */
  resetsAt: string | undefined;
  /** The same call may succeed later. */
  mayPass: boolean;
}

interface FailureData {
  error?: unknown;
  details?: unknown;
  quota?: { resets_at?: unknown };
}

/** What anything thrown by a call means to the person in front of the page. */
export function failureOf(thrown: unknown): Failure {
  const data: FailureData =
    thrown instanceof TRPCClientError ? ((thrown.data ?? {}) as FailureData) : {};
  const code = typeof data.error === "string" ? data.error : codeWithoutData(thrown);
  return failureFor(code, data, thrown instanceof Error ? thrown.message : undefined);
}

/** For a failure that came as a bare code, e.g. `reply-failed` in a room. */
export function failureFor(code: string, data: FailureData = {}, message?: string): Failure {
  const { resets_at: resetsAt } = data.quota ?? {};
  return {
    ...wordsFor(code, data.error === undefined ? undefined : message),
    code,
    fields: readFields(data.details),
    resetsAt: typeof resetsAt === "string" ? resetsAt : undefined,
    mayPass: passing.has(code),
  };
}

const passing: ReadonlySet<string> = new Set<KnownCode>([
  "offline",
  "internal",
  "overloaded",
  "shutting_down",
]);

/** A code that this page doesn't know yet, being older than the hub, is told in the hub's words. */
function wordsFor(code: string, message: string | undefined): Words {
  const known = Object.hasOwn(words, code) ? words[code as KnownCode] : undefined;
  if (known) return known;
  return message ? { title: message.replace(/\.$/, ""), hint: "", way: "none" } : words.internal;
}

/** A call that no answer came back for has no data; anything else unknown is a mistake of ours. */
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
