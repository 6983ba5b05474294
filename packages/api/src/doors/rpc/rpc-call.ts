import type { TRPCProcedureType } from "@trpc/server";
import type { Procedure } from "../../procedures.ts";
import type { Asked } from "./rpc-messages.ts";

/** One call as it was asked. */
export interface RpcCall extends Asked {
  id: number | string;
  type: TRPCProcedureType;
  path: string;
  input: unknown;
  batchIndex: number;
  /** Undefined: there is none of that name and type. */
  procedure: Procedure | undefined;
}
