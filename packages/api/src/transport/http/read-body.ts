import type { IncomingMessage } from "node:http";
import { HubError } from "../../errors.ts";
import { AddressCounts } from "../address-counts.ts";

/** Limit of the bytes in memory of all bodies that have not arrived completely. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/**
 * Limit per address block of the bytes of incomplete bodies. It allows the largest import, whose
 * chunks may be small, and the largest body of `/v1`.
 */
const MAX_PENDING_BYTES_PER_ADDRESS = 24 * 1024 * 1024;
/**
 * Bytes of memory that a chunk of a body takes besides its content. They matter for a body that
 * arrives byte by byte.
 */
const CHUNK_OVERHEAD_BYTES = 512;
const RETRY_SECONDS = 10;

export interface BodySource {
  /** The largest allowed body in bytes. */
  maxBytes: number;
  /** The client's address block. */
  address: string;
}

/** Reads request bodies, and limits the memory of bodies that have not arrived completely. */
export class BodyReader {
  readonly #maxPerAddress: number;
  readonly #pendingOf = new AddressCounts();
  #pending = 0;

  /**
   * @param limitsAddresses if false, only the total limit applies, and no limit per address block
   */
  constructor(limitsAddresses: boolean) {
    this.#maxPerAddress = limitsAddresses ? MAX_PENDING_BYTES_PER_ADDRESS : MAX_PENDING_BYTES;
  }

  /**
   * Reads a whole body.
   * @throws HubError `body_too_large`; `rate_limited` or `overloaded` if too many bytes are pending;
   * `bad_request` if the client disconnects
   */
  read(request: IncomingMessage, { maxBytes, address }: BodySource): Promise<Buffer> {
    if (Number(request.headers["content-length"]) > maxBytes) {
      return Promise.reject(new HubError("body_too_large"));
    }
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let received = 0;
      let pending = 0;
      const stop = () => {
        request.off("data", onData).off("end", onEnd).off("close", onClose);
        this.#add(address, -pending);
      };
      const fail = (error: HubError) => {
        stop();
        reject(error);
      };
      const onData = (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBytes) return fail(new HubError("body_too_large"));
        pending += chunk.length + CHUNK_OVERHEAD_BYTES;
        this.#add(address, chunk.length + CHUNK_OVERHEAD_BYTES);
        const refusal = this.#refusalOf(address);
        if (refusal) return fail(refusal);
        chunks.push(chunk);
      };
      const onEnd = () => {
        stop();
        resolve(Buffer.concat(chunks, received));
      };
      const onClose = () =>
        fail(new HubError("bad_request", { message: "The request body is incomplete." }));
      request.on("data", onData).on("end", onEnd).on("close", onClose);
    });
  }

  #refusalOf(address: string): HubError | undefined {
    if (this.#pendingOf.of(address) > this.#maxPerAddress) {
      return new HubError("rate_limited", { retryAfter: RETRY_SECONDS });
    }
    return this.#pending > MAX_PENDING_BYTES ? new HubError("overloaded") : undefined;
  }

  #add(address: string, bytes: number): void {
    this.#pending += bytes;
    this.#pendingOf.add(address, bytes);
  }
}
