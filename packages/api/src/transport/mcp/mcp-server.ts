import { ProtocolError, Server, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { assertScope } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { invalidInput } from "../../trpc/to-hub-error.ts";
import { assertWellFormed } from "../../trpc/well-formed.ts";
import { countAsWrite, type McpCall, proceduresFor } from "./mcp-call.ts";
import { toolFailure } from "./mcp-errors.ts";
import { completeArgument, getPrompt, listPrompts, soulNumbers } from "./prompts.ts";
import { protocolFailure } from "./protocol-errors.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";
import { tools } from "./tools/all-tools.ts";
import { mayUse, type Tool } from "./tools/tool.ts";

/** A client may keep lists and resources for this long. */
const FRESH_MS = 60_000;
const MAX_COMPLETIONS = 100;
const UNKNOWN_TOOL = -32_602;

const instructions =
  "Soul Hub stores AI agent definitions, called souls. Find one with search_souls, read it with read_soul, and take its role, or talk to it with talk_to_soul.";

/** Creates the server of one request. It serves clients of every revision of the protocol. */
export function createMcpServer(call: McpCall): Server {
  const { hub } = call.ctx;
  const cacheScope = call.caller.kind === "guest" ? "public" : "private";
  const cached = { ttlMs: FRESH_MS, cacheScope } as const;
  const server = new Server(
    { name: "soul-hub", title: "Soul Hub", version: hub.config.version },
    {
      instructions,
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      cacheHints: {
        "tools/list": cached,
        "prompts/list": cached,
        "resources/list": cached,
        "resources/templates/list": cached,
        "resources/read": cached,
      },
    },
  );
  const ctx: CallContext = { ...call.ctx, caller: call.caller, db: hub.database.db };
  const procedures = proceduresFor(call);
  /** Runs a request whose only form of failure is an error of the protocol. */
  const orError = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      throw protocolFailure(call, error);
    }
  };

  server.setRequestHandler("tools/list", () => ({
    tools: tools.filter((tool) => mayUse(call, tool)).map(describe),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(UNKNOWN_TOOL, `Unknown tool ${params.name}.`);
    const result = await callTool(call, tool, params.arguments ?? {}, context);
    return server.projectCallToolResult(result, z.toJSONSchema(tool.output));
  });
  server.setRequestHandler("prompts/list", () =>
    orError(async () => ({ prompts: await listPrompts(ctx) })),
  );
  server.setRequestHandler("prompts/get", ({ params }) =>
    orError(() => getPrompt(procedures, params.name, params.arguments ?? {})),
  );
  server.setRequestHandler("resources/list", ({ params }) =>
    orError(() => listResources(ctx, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
  server.setRequestHandler("resources/read", ({ params }) =>
    orError(() => readResource(procedures, params.uri)),
  );
  server.setRequestHandler("completion/complete", ({ params: { ref, argument } }) =>
    orError(async () => {
      const found =
        ref.type === "ref/prompt"
          ? await completeArgument(ctx, ref.name, argument)
          : argument.name === "id"
            ? await soulNumbers(ctx, argument.value)
            : [];
      const values = found.slice(0, MAX_COMPLETIONS);
      return { completion: { values, total: found.length, hasMore: found.length > values.length } };
    }),
  );
  return server;
}

/** Describes a tool as clients list it. */
const describe = ({ name, title, description, annotations, input, output }: Tool) => ({
  name,
  title,
  description,
  annotations,
  inputSchema: z.toJSONSchema(input, { io: "input" }) as { type: "object" },
  outputSchema: z.toJSONSchema(output) as { type: "object" },
});

/** Calls a tool. A refusal is a result, which the model can read. */
async function callTool(call: McpCall, tool: Tool, given: unknown, context: ServerContext) {
  try {
    if (!mayUse(call, tool)) {
      if (call.caller.kind === "guest") throw new HubError("unauthenticated");
      assertScope(call.caller, tool.need);
    }
    if (!tool.annotations.readOnlyHint) await countAsWrite(call);
    // Not every tool calls a procedure, which would check this.
    assertWellFormed(given);
    const parsed = tool.input.strict().safeParse(given);
    if (!parsed.success) throw invalidInput(parsed.error);
    const onText = progressOf(context);
    const procedures = proceduresFor(call);
    const { output, text } = await tool.run({ ...call, procedures, onText }, parsed.data);
    const content = [{ type: "text" as const, text: text ?? JSON.stringify(output) }];
    return { content, structuredContent: { ...output } };
  } catch (error) {
    return toolFailure(call, error);
  }
}

/** Sends each piece of a reply as a progress notification, if the client asked for these. */
function progressOf({ mcpReq }: ServerContext): ((text: string) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // The result follows in any case.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
