import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { hasScope } from "../../../caller/caller.ts";
import type { KeyScope } from "../../../caller/key-scopes.schema.ts";
import type { McpCall, Procedures } from "../mcp-call.ts";

/** What a tool gets beside its arguments. */
export interface ToolCall extends McpCall {
  procedures: Procedures;
  /** Sends a piece of a reply to a client that asked for progress. */
  onText?: ((text: string) => void) | undefined;
}

/** A tool of `/mcp` (decisions §7, MCP). */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The scope that a named key needs; `public` for tools that guests may call, too. */
  need: KeyScope | "public";
  annotations: ToolAnnotations;
  input: z.ZodObject;
  output: z.ZodObject;
  /**
   * @param input checked by the schema
   * @throws HubError which the model gets as an error of the tool
   */
  run(call: ToolCall, input: unknown): Promise<{ output: object; text?: string }>;
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Omit<Tool, "input" | "output" | "run" | "annotations"> {
  /** True for a tool that changes nothing. */
  reads: boolean;
  /** True for a tool whose changes can be lost, such as an earlier state. */
  overwrites?: boolean;
  input: Input;
  output: Output;
  run(call: ToolCall, input: z.output<Input>): Promise<{ output: z.input<Output>; text?: string }>;
}

/** Checks the types of a tool's definition, and forgets them. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  reads,
  overwrites = false,
  run,
  ...tool
}: Definition<Input, Output>): Tool {
  const annotations = reads
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: overwrites, openWorldHint: false };
  return { ...tool, annotations, run: (call, input) => run(call, input as z.output<Input>) };
}

/** Whether a caller may use a tool. Others are not shown to it. */
export const mayUse = ({ caller }: McpCall, { need }: Tool): boolean =>
  need === "public" || (caller.kind !== "guest" && hasScope(caller, need));

export const soulId = z.int().min(1).describe("The number of the soul.");
