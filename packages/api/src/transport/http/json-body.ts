import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { addressBlock } from "../../accounts/guest-id.ts";
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

/** Bodies that one endpoint writes to disk at a time, so that uploads cannot fill it. */
const MAX_SPOOLED = 8;

/**
 * Accepts bodies that are files, and writes each to a temporary file until the response is sent.
 * Beyond 8 at a time a body is refused with `overloaded`.
 */
export function registerSpooledParser(app: FastifyInstance, mediaTypes: readonly string[]): void {
  const folders = new WeakMap<FastifyRequest, string>();
  let spooled = 0;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    [...mediaTypes],
    async (request: FastifyRequest, payload: IncomingMessage) => {
      assertPlain(request);
      const maxBytes = request.routeOptions.bodyLimit ?? 0;
      if (Number(request.headers["content-length"]) > maxBytes) {
        throw new HubError("body_too_large");
      }
      if (spooled >= MAX_SPOOLED) throw new HubError("overloaded");
      const folder = await mkdtemp(path.join(tmpdir(), "soul-hub-upload-"));
      folders.set(request, folder);
      spooled++;
      const file = path.join(folder, "body");
      await pipeline(payload, upTo(maxBytes), createWriteStream(file, { mode: 0o600 }));
      return file;
    },
  );
  // Runs after failures, too.
  app.addHook("onResponse", async (request) => {
    const folder = folders.get(request);
    if (folder === undefined) return;
    spooled--;
    await rm(folder, { recursive: true, force: true });
  });
}

/** Passes bytes on, up to a limit. */
const upTo = (maxBytes: number) =>
  async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const piece of pieces) {
      size += piece.length;
      if (size > maxBytes) throw new HubError("body_too_large");
      yield piece;
    }
  };

/** Compressed bodies are refused: a small one could expand beyond every limit. */
function assertPlain({ headers }: FastifyRequest): void {
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
