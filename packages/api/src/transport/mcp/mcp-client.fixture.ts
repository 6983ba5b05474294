import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Actor } from "../../testing/actor.ts";

/** A stock client of `/mcp`, with the calls that tests make. */
export interface McpClient extends AsyncDisposable {
  client: Client;
  /** Calls a tool. `output` is its structured result, `text` its text. */
  call(name: string, args: object): Promise<{ text: string; output: Record<string, unknown> }>;
  /** Calls a tool that refuses. Returns its error code. */
  refusal(name: string, args: object): Promise<string>;
  /** The text of a resource. */
  read(uri: string): Promise<string>;
}

/** @param actor whose key the client sends; a guest sends none */
export async function mcpClient(
  { url }: { url: string },
  { apiKey }: Pick<Actor, "apiKey">,
): Promise<McpClient> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const result = async (name: string, args: object) => {
    const { content, structuredContent, isError } = await client.callTool({
      name,
      arguments: { ...args },
    });
    const [{ text = "" } = {}] = content as { text?: string }[];
    return { text, output: structuredContent as Record<string, unknown>, isError };
  };
  return {
    client,
    call: result,
    async refusal(name, args) {
      const { isError, text } = await result(name, args);
      return isError ? JSON.parse(text).error : "no error";
    },
    async read(uri) {
      const { contents } = await client.readResource({ uri });
      return (contents[0] as { text: string }).text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
