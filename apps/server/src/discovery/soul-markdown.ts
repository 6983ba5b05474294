import { type Hub, readSoulMarkdown } from "@soul-hub/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Serves `/soul/{id}.md`: a soul that everyone may read, as Markdown. Any other soul is 404. */
export function serveSoulMarkdown(app: FastifyInstance, hub: Hub): void {
  app.get<{ Params: { id: string } }>("/soul/:id.md", (request, reply) =>
    sendSoulMarkdown(hub, request, reply, request.params.id),
  );
}

/** Returns the id in the path of a soul's page; undefined for another path. */
export const soulIdIn = (pathname: string): string | undefined =>
  /^\/soul\/([^/]+)\/?$/.exec(pathname)?.[1];

/** Sends a soul as Markdown, or a JSON 404. */
export async function sendSoulMarkdown(
  hub: Hub,
  { ip }: FastifyRequest,
  reply: FastifyReply,
  idText: string,
) {
  const markdown = await readSoulMarkdown(hub, { idText, ip });
  if (markdown === undefined) return reply.callNotFound();
  return (
    reply
      .type("text/markdown; charset=utf-8")
      // A cache asks the hub each time, because the soul may have become private.
      .header("cache-control", "no-cache")
      .header("link", `<${hub.config.baseUrl}/soul/${idText}>; rel="canonical"`)
      .send(markdown)
  );
}
