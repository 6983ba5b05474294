import { TRPCError, type TRPCProcedureType } from "@trpc/server";
import { jsonEncoder } from "@trpc/server/adapters/ws";
import { parseConnectionParamsFromUnknown } from "@trpc/server/http";
import { type JSONRPC2, parseTRPCMessage, type TRPCClientOutgoingMessage } from "@trpc/server/rpc";
import type { Procedure, RouterConfig } from "../../../trpc/procedures.ts";
import { isJsonObject } from "../../../trpc/well-formed.ts";

/** The fields of a request that its responses repeat. */
export interface RpcRequest {
  id: JSONRPC2.RequestId;
  jsonrpc?: "2.0" | undefined;
}

export interface RpcCall extends RpcRequest {
  id: number | string;
  type: TRPCProcedureType;
  path: string;
  input: unknown;
  batchIndex: number;
  /** Undefined if the router has no procedure with this path and type. */
  procedure: Procedure | undefined;
}

/** A text frame, or the bytes of a binary frame, which the protocol does not use. */
export type Frame = string | Uint8Array;

/** A frame that is refused: its error, and the requests in it that get an error response. */
export interface RejectedFrame {
  error: TRPCError;
  requests: RpcRequest[];
  /** tRPC reports an oversized batch to `onError`, but not a malformed frame. */
  isReported: boolean;
}

export const isRejected = (
  read: TRPCClientOutgoingMessage[] | RejectedFrame,
): read is RejectedFrame => !Array.isArray(read);

/** Parses a frame with one message or a batch. */
export function readMessages(
  frame: Frame,
  { transformer }: RouterConfig,
  maxBatchSize: number,
): TRPCClientOutgoingMessage[] | RejectedFrame {
  try {
    const json = jsonEncoder.decode(frame);
    if (!Array.isArray(json)) return [parseTRPCMessage(json, transformer)];
    if (json.length > maxBatchSize) return oversizedBatch(json);
    return json.map((each) => parseTRPCMessage(each, transformer));
  } catch (cause) {
    const error = new TRPCError({ code: "PARSE_ERROR", cause });
    return { error, requests: [], isReported: false };
  }
}

function oversizedBatch(batch: readonly unknown[]): RejectedFrame {
  const message = "Batch call exceeds maximum size";
  return {
    error: new TRPCError({ code: "BAD_REQUEST", message }),
    requests: batch.flatMap((each) => requestIn(each) ?? []),
    isReported: true,
  };
}

function requestIn(json: unknown): RpcRequest | undefined {
  if (!isJsonObject(json) || json.method === "subscription.stop") return undefined;
  const { id, jsonrpc } = json;
  if (typeof id !== "number" && typeof id !== "string") return undefined;
  return { id, jsonrpc: jsonrpc === "2.0" ? jsonrpc : undefined };
}

/** Parses the first frame of a client with `connectionParams=1` in its URL. @throws TRPCError */
export function readConnectionParams(frame: Frame): Record<string, unknown> | null {
  let json: unknown;
  try {
    json = jsonEncoder.decode(frame);
    if (!isJsonObject(json)) throw new Error("Message was not an object");
  } catch (cause) {
    const message = "Malformed TRPCConnectionParamsMessage";
    throw new TRPCError({ code: "PARSE_ERROR", message, cause });
  }
  return parseConnectionParamsFromUnknown(json.data);
}

/** Adds `lastEventId` to the input of a subscription that resumes, as tRPC does. */
export function withLastEventId(input: unknown, lastEventId: string | undefined): unknown {
  if (lastEventId === undefined) return input;
  return isJsonObject(input) ? { ...input, lastEventId } : (input ?? { lastEventId });
}
