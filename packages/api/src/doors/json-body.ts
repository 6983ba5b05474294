import type { FastifyInstance } from "fastify";
import { HubError } from "../errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Only application/json is read; Fastify's own text/plain parser goes (decisions §1, 415). */
export function jsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    // Packed bytes are no JSON; nobody here unpacks them, a small body could be a huge one.
    const coding = request.headers["content-encoding"];
    if (coding !== undefined && coding !== "identity") {
      return done(new HubError("unsupported_media_type"));
    }
    // Clients send the header with a bodyless DELETE, too.
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)));
    } catch (cause) {
      done(new HubError("invalid_json", { cause }));
    }
  });
}
