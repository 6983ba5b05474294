import { createHash } from "node:crypto";
import { countPageRead, createSemaphore, type Hub, picturedSoul } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";
import { LRUCache } from "lru-cache";

/** The points of the read limit that a picture costs when it is drawn (0009). */
const DRAWING_POINTS = 20;
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** Drawing takes about 0.1 s of a processor, so pictures are drawn one after the other. */
const DRAWN_AT_ONCE = 1;
const MAX_WAITING = 16;
const MAX_WAIT_MS = 5_000;

interface Picture {
  png: Buffer;
  etag: string;
}

/**
 * Serves the pictures of link previews (0047): `/previews/soul/{id}.png`. A private, gated or
 * missing soul has none.
 */
export function servePreviews(app: FastifyInstance, hub: Hub): void {
  const turns = createSemaphore(DRAWN_AT_ONCE, MAX_WAITING);
  // The key contains everything that a picture shows, so an edited soul gets a new picture.
  const pictures = new LRUCache<string, Picture>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ png }) => png.length,
    // Simultaneous requests for one picture share one drawing.
    fetchMethod: (key) => turns.run(() => draw(key), MAX_WAIT_MS),
  });

  app.get<{ Params: { id: string } }>("/previews/soul/:id.png", async (request, reply) => {
    const { id } = request.params;
    await countPageRead(hub, request.ip);
    const soul = await picturedSoul(hub, id);
    if (!soul) return reply.callNotFound();
    const key = JSON.stringify(soul);
    if (!pictures.has(key)) await countPageRead(hub, request.ip, DRAWING_POINTS);
    const picture = await pictures.fetch(key);
    if (!picture) return reply.callNotFound();
    const { png, etag } = picture;
    // A cache asks the hub each time, because the soul may have become private.
    reply.header("cache-control", "no-cache").header("etag", etag);
    if (request.headers["if-none-match"] === etag) return reply.status(304).send();
    return reply.type("image/png").send(png);
  });
}

async function draw(key: string): Promise<Picture> {
  // The drawing code loads with the first picture, since most of its 2 MB are fonts and layout.
  const { drawSoulPicture } = await import("./soul-picture.ts");
  const png = await drawSoulPicture(JSON.parse(key));
  const etag = `"${createHash("sha256").update(png).digest("base64url").slice(0, 22)}"`;
  return { png, etag };
}
