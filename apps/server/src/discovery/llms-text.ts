import { type Hub, type HubOverview, readOverview } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";

/** A longer description is cut, in characters. */
const MAX_DESCRIPTION_CHARS = 160;

/** Serves /llms.txt: what a program that reads text should know of the hub (llmstxt.org). */
export function serveLlmsText(app: FastifyInstance, hub: Hub): void {
  app.get("/llms.txt", async ({ ip }, reply) =>
    reply
      .type("text/plain; charset=utf-8")
      // The soul of an older text may be private by now.
      .header("cache-control", "no-cache")
      .send(llmsText(hub.config.baseUrl, await readOverview(hub, ip))),
  );
}

function llmsText(baseUrl: string, { apps, souls }: HubOverview): string {
  const socket = baseUrl.replace(/^http/, "ws");
  const link = (title: string, path: string, about: string) =>
    `- [${plain(title)}](${baseUrl}${path})${about && `: ${about}`}`;
  return [
    "# Soul Hub",
    "",
    "> A hub of AI agent definitions, called souls. Read them, talk to them alone or together with others, and use them in other programs.",
    "",
    `A soul is one Markdown prompt, or a folder of them. Its page is ${baseUrl}/soul/{id}, and its Markdown ${baseUrl}/soul/{id}.md.`,
    "",
    "## Ways to call the hub",
    "",
    link("REST", "/api/openapi.json", `JSON at ${baseUrl}/api, described by OpenAPI 3.1`),
    link("OpenAI's protocol", "/v1/models", `souls as models; the base URL is ${baseUrl}/v1`),
    link(
      "Model Context Protocol",
      "/mcp",
      "souls as tools, prompts and resources, by Streamable HTTP (POST); reading needs no key",
    ),
    link(
      "tRPC",
      "/trpc",
      `typed calls over HTTP, live rooms over WebSocket at ${socket}/trpc, or server-sent events`,
    ),
    link("API reference", "/docs", "every endpoint for people, with examples"),
    "",
    "## Mini apps",
    "",
    ...apps.map(({ slug, title, description }) =>
      link(title, `/apps/${slug}`, plain(shorten(description))),
    ),
    "",
    "## Popular souls",
    "",
    ...souls.map(({ id, title, description, username }) =>
      link(title, `/soul/${id}.md`, plain(shorten(description) || `a soul by ${username}`)),
    ),
    "",
  ].join("\n");
}

/** One line of Markdown that shows a text as it is. Titles are from users. */
const plain = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .replace(/[\\`*_[\]()<>#|~!&]/g, "\\$&");

function shorten(text: string): string {
  const characters = [...text.trim()];
  if (characters.length <= MAX_DESCRIPTION_CHARS) return characters.join("");
  return `${characters.slice(0, MAX_DESCRIPTION_CHARS - 1).join("")}…`;
}
