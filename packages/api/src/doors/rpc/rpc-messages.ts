import { type AnyTRPCRouter, TRPCError } from "@trpc/server";
import { jsonEncoder } from "@trpc/server/adapters/ws";
import { parseConnectionParamsFromUnknown } from "@trpc/server/http";
import { type JSONRPC2, parseTRPCMessage, type TRPCClientOutgoingMessage } from "@trpc/server/rpc";

/** What names a call to its client: the same words stand at the head of all that answers it. */
export interface Asked {
  id: JSONRPC2.RequestId;
  jsonrpc?: "2.0" | undefined;
}

/** Text, or bytes, which the protocol knows nothing to do with. */
export type Frame = string | Uint8Array;

/** Why a frame is refused, and who is told: the calls in it, or, where there are none, nobody. */
export interface RefusedFrame {
  error: TRPCError;
  asked: Asked[];
  /** tRPC reports too many calls, and no frame that can't be read. */
  isReported: boolean;
}

export const isRefused = (read: TRPCClientOutgoingMessage[] | RefusedFrame): read is RefusedFrame =>
  !Array.isArray(read);

/** The calls of one frame: one, or a batch. */
export function readMessages(
  frame: Frame,
  { _def }: AnyTRPCRouter,
  maxBatchSize: number,
): TRPCClientOutgoingMessage[] | RefusedFrame {
  try {
    const said = jsonEncoder.decode(frame);
    if (!Array.isArray(said)) return [parseTRPCMessage(said, _def._config.transformer)];
    if (said.length > maxBatchSize) return tooMany(said);
    return said.map((each) => parseTRPCMessage(each, _def._config.transformer));
  } catch (cause) {
    const error = new TRPCError({ code: "PARSE_ERROR", cause });
    return { error, asked: [], isReported: false };
  }
}

function tooMany(said: readonly unknown[]): RefusedFrame {
  const message = "Batch call exceeds maximum size";
  return {
    error: new TRPCError({ code: "BAD_REQUEST", message }),
    asked: said.flatMap((each) => askedIn(each) ?? []),
    isReported: true,
  };
}

function askedIn(said: unknown): Asked | undefined {
  if (!isObject(said) || said.method === "subscription.stop") return undefined;
  const { id, jsonrpc } = said;
  if (typeof id !== "number" && typeof id !== "string") return undefined;
  return { id, jsonrpc: jsonrpc === "2.0" ? jsonrpc : undefined };
}

/** The first frame of a client whose address says `connectionParams=1`. @throws TRPCError */
export function readConnectionParams(frame: Frame): Record<string, unknown> | null {
  let said: unknown;
  try {
    said = jsonEncoder.decode(frame);
    if (!isObject(said)) throw new Error("Message was not an object");
  } catch (cause) {
    const message = "Malformed TRPCConnectionParamsMessage";
    throw new TRPCError({ code: "PARSE_ERROR", message, cause });
  }
  return parseConnectionParamsFromUnknown(said.data);
}

/** A client that comes back names the last event it had beside its input. */
export function withLastEventId(input: unknown, lastEventId: string | undefined): unknown {
  if (lastEventId === undefined) return input;
  return isObject(input) ? { ...input, lastEventId } : (input ?? { lastEventId });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
