import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HubError } from "../../errors.ts";
import { assertPlain } from "./json-body.ts";

/** Bodies that one endpoint has on disk at a time, so that uploads cannot fill it. */
const MAX_AT_ONCE = 8;

/** The bodies of an endpoint that go to temporary files instead of memory. */
export class SpooledBodies {
  readonly #folders = new Map<FastifyRequest, string>();

  /**
   * Accepts bodies of the given media types. The body of a request is then the path of its file.
   * Beyond 8 at a time a body is refused with `overloaded`.
   */
  register(app: FastifyInstance, mediaTypes: readonly string[]): void {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser([...mediaTypes], (request: FastifyRequest, payload: IncomingMessage) =>
      this.#receive(request, payload),
    );
  }

  /** Runs the work of a request, and then deletes the file of its body. */
  async during<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      await this.#discard(request);
    }
  }

  async #receive(request: FastifyRequest, payload: IncomingMessage): Promise<string> {
    assertPlain(request);
    const maxBytes = request.routeOptions.bodyLimit ?? 0;
    if (Number(request.headers["content-length"]) > maxBytes) {
      throw new HubError("body_too_large");
    }
    if (this.#folders.size >= MAX_AT_ONCE) throw new HubError("overloaded");
    const folder = path.join(tmpdir(), `soul-hub-upload-${randomUUID()}`);
    this.#folders.set(request, folder);
    try {
      await mkdir(folder, { mode: 0o700 });
      const file = path.join(folder, "body");
      await pipeline(payload, upTo(maxBytes), createWriteStream(file, { mode: 0o600 }));
      return file;
    } catch (error) {
      await this.#discard(request);
      throw hasLeft(error)
        ? new HubError("bad_request", { message: "The request body is incomplete." })
        : error;
    }
  }

  async #discard(request: FastifyRequest): Promise<void> {
    const folder = this.#folders.get(request);
    if (folder === undefined) return;
    this.#folders.delete(request);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether an upload ended because its client left. */
const hasLeft = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code === "ECONNRESET");

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
