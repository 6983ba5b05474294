import { AsyncLocalStorage } from "node:async_hooks";
import { HubError } from "../errors.ts";
import type { Span, SpanFailure, SpanOptions, Tracer } from "./tracer.ts";

/** A call, as the statements and model calls below it see it. */
export interface Call {
  readonly requestId: string;
  /** The span of the transport. Undefined if the hub does not trace this call. */
  readonly root: Span | undefined;
  /** True after the response. Timers that the call has started belong to it no longer. */
  isOver: boolean;
}

interface Scope {
  call: Call;
  span: Span | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

export const currentCall = (): Call | undefined => scopes.getStore()?.call;

/** Runs a function below a call. All that it awaits belongs to the call, too. */
export const runInCall = <Result>(call: Call, run: () => Result): Result =>
  scopes.run({ call, span: call.root }, run);

/** The fields that a log line gains inside of a trace. */
export function traceFields(): { trace_id?: string } {
  const span = scopes.getStore()?.span;
  return span ? { trace_id: span.traceId } : {};
}

/** Starts a span below the present one. Returns undefined outside of a sampled trace. */
export function startSpan(name: string, options: SpanOptions = {}): Span | undefined {
  const parent = scopes.getStore()?.span;
  return parent?.isRecording ? parent.child(name, options) : undefined;
}

/** Runs work as a span below the present one, or without a span outside of a sampled trace. */
export function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const scope = scopes.getStore();
  const span = startSpan(name);
  if (!scope || !span) return work();
  return scopes.run({ ...scope, span }, () => endWith(span, work));
}

interface NewCall extends SpanOptions {
  name: string;
  requestId: string;
}

/** Runs work as a call of its own, with a trace of its own if the hub traces. */
export async function inNewCall<Result>(
  tracer: Tracer | null,
  { name, requestId, ...options }: NewCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const root = tracer?.start(name, options);
  const call: Call = { requestId, root, isOver: false };
  try {
    return await runInCall(call, () => (root ? endWith(root, work) : work()));
  } finally {
    call.isOver = true;
  }
}

/**
 * Runs background work in a trace of its own, which links to the call that caused it. The work
 * outlives the call.
 */
export function inLinkedTrace<Result>(
  tracer: Tracer | null,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const cause = currentCall();
  const links = cause?.root ? [cause.root] : [];
  return inNewCall(tracer, { name, requestId: cause?.requestId ?? "", links }, work);
}

async function endWith<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(failureOf(error));
    throw error;
  }
}

/** Names a failure by the hub's code, an SQLSTATE or a system's code. No message leaves the hub. */
export function failureOf(error: unknown): SpanFailure {
  const known = [error, (error as Partial<Error> | null)?.cause].find(
    (given) => given instanceof HubError,
  );
  if (known) return { type: known.code, isFault: known.status >= 500 };
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const type = typeof code === "string" ? code : name;
  const isName = typeof type === "string" && /^\w{1,40}$/.test(type);
  return { type: isName ? type : "internal", isFault: true };
}
