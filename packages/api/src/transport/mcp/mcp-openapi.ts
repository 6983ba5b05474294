import { notAcceptable } from "./mcp-answer.ts";
import { resourceTemplates } from "./resources.ts";
import { tools } from "./tools/all-tools.ts";

// The Model Context Protocol in the OpenAPI document (0054).

const TAG = "mcp";
const toolList = tools.map(
  ({ name, need, description }) =>
    `  - \`${name}\`${need === "public" ? "" : ` (scope \`${need}\`)`}: ${description}`,
);
const resources = resourceTemplates.map(
  ({ title, uriTemplate }) => `  - \`${uriTemplate}\`: ${(title ?? "").toLowerCase()}`,
);

/** @param url the hub's URL without a trailing slash; empty in the committed document */
export const mcpTag = (url: string) => ({
  name: TAG,
  "x-displayName": "Model Context Protocol",
  description: `\
Agents find, read, talk to and publish souls at \`${url}/mcp\`, by Streamable HTTP. For example:

\`\`\`sh
claude mcp add --transport http soul-hub ${url}/mcp --header "Authorization: Bearer shk_…"
\`\`\`

Programs with a settings file take the same values:

\`\`\`json
{
  "mcpServers": {
    "soul-hub": {
      "type": "http",
      "url": "${url}/mcp",
      "headers": { "Authorization": "Bearer shk_…" }
    }
  }
}
\`\`\`

- **Credential.** A main key, a named key, or none; cookies are ignored. Without a key, a client finds and reads
  public souls. A wrong key is 401. There is no OAuth server.
- **Revisions.** 2026-07-28, 2025-11-25, 2025-06-18 and 2025-03-26. There are no sessions; GET and DELETE are 405.
- **Pages of other sites** may call it if the operator lists their origin.
- **Tools.** A key lists those that its scopes allow. A refused call is a result with \`isError\` and
  \`{error, message, details}\`.
${toolList.join("\n")}
- **Who pays.** \`talk_to_soul\` costs what a message of a room costs. Without a pass your own provider key pays, and
  nothing is stored. Clients that ask for progress get the pieces of a reply.
- **Prompts.** \`<slug>-<id>\` is a soul, with an optional \`message\`; any soul's number works. \`app-<slug>\` is a mini
  app with its fields. Lists hold your own souls, those that you like, and popular ones.
- **Resources.** Texts of souls, as Markdown:
${resources.join("\n")}
- **Completion.** The options of a mini app's field, and the numbers of souls by their titles.`,
});

const example = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "search_souls", arguments: { q: "lighthouse" } },
};
const found = {
  has_more: false,
  souls: [
    {
      id: 7,
      title: "Keeper of the Light",
      description: "Keeps a lighthouse far out at sea.",
      username: "ada",
    },
  ],
};
const answer = {
  jsonrpc: "2.0",
  id: 1,
  result: {
    content: [{ type: "text", text: JSON.stringify(found) }],
    structuredContent: found,
  },
};
const failure = {
  jsonrpc: "2.0",
  id: null,
  error: {
    code: -32_600,
    message: "Log in, or send a valid API key.",
    data: { error: "unauthenticated" },
  },
};

const schema = {
  type: "object",
  description: "A message of JSON-RPC 2.0.",
  required: ["jsonrpc", "method"],
  properties: {
    jsonrpc: { const: "2.0" },
    id: { type: ["integer", "string"], description: "Left out of notifications." },
    method: { type: "string" },
    params: { type: "object" },
  },
};
const json = (description: string, shown: object) => ({
  description,
  content: { "application/json": { schema: { type: "object" }, example: shown } },
});

/** The operation of `/mcp`. */
export const mcpPaths = {
  "/mcp": {
    post: {
      operationId: "mcpCall",
      tags: [TAG],
      summary: "Send a message of the Model Context Protocol",
      description:
        "Clients of the protocol make these calls. `Accept` decides between one JSON object and a stream; a client that takes both may get either.",
      security: [{}, { key: [] }],
      requestBody: { required: true, content: { "application/json": { schema, example } } },
      responses: {
        200: {
          description: "The answer: one JSON object, or a stream that ends with it.",
          content: {
            "application/json": { schema: { type: "object" }, example: answer },
            "text/event-stream": {
              schema: { type: "string" },
              example: `event: message\ndata: ${JSON.stringify(answer)}\n\n`,
            },
          },
        },
        202: { description: "A notification was taken." },
        401: json("The key is wrong.", failure),
        406: json("`Accept` allows neither form of an answer.", notAcceptable),
        403: json("The page of this origin may not call the hub.", {
          ...failure,
          error: { ...failure.error, data: { error: "csrf_rejected" } },
        }),
      },
    },
  },
};
