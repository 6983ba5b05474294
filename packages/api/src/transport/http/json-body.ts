import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { addressBlock } from "../../caller/guest-id.ts";
import { HubError } from "../../errors.ts";
import { assertFewValues } from "../../trpc/well-formed.ts";
import type { BodyReader } from "./read-body.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Accepts application/json only; Fastify's own text/plain parser is removed (decisions §1, 415). */
export function registerJsonParser(app: FastifyInstance, bodies: BodyReader): void {
  app.removeAllContentTypeParsers();
  const parse = async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await readBytes(bodies, request, payload);
    // Some clients send Content-Type with a DELETE that has no body, so an empty body is no error.
    if (body.length === 0) return undefined;
    const text = decodeJson(body);
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new HubError("invalid_json", { cause });
    }
  };
  app.addContentTypeParser("application/json", parse);
}

/** Accepts bodies that are files, of the given media types alone. */
export function registerFileParser(
  app: FastifyInstance,
  bodies: BodyReader,
  mediaTypes: readonly string[],
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...mediaTypes], (request: FastifyRequest, payload: IncomingMessage) =>
    readBytes(bodies, request, payload),
  );
}

/** Compressed bodies are refused: a small one could expand beyond every limit. */
export function assertPlain({ headers }: FastifyRequest): void {
  const coding = headers["content-encoding"];
  if (coding !== undefined && coding !== "identity") {
    throw new HubError("unsupported_media_type");
  }
}

async function readBytes(
  bodies: BodyReader,
  request: FastifyRequest,
  payload: IncomingMessage,
): Promise<Buffer> {
  assertPlain(request);
  return bodies.read(payload, {
    maxBytes: request.routeOptions.bodyLimit ?? 0,
    address: addressBlock(request.ip),
  });
}

/**
 * Decodes the text of a JSON body, before it is parsed.
 * @throws HubError `invalid_input` for too many values; `invalid_json` for invalid UTF-8
 */
export function decodeJson(body: Buffer): string {
  assertFewValues(body);
  try {
    return utf8.decode(body);
  } catch (cause) {
    throw new HubError("invalid_json", { cause });
  }
}
