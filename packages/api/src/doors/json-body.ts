import type { FastifyInstance } from "fastify";
import { HubError } from "../errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Only application/json is read; Fastify's own text/plain parser goes (decisions §1, 415). */
export function jsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    // Clients send the header with a bodyless DELETE, too.
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)));
    } catch (cause) {
      done(new HubError("invalid_json", { cause }));
    }
  });
}
