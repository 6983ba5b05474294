import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/**
 * Each page is compressed per response. A higher Brotli quality saves few bytes and takes much
 * longer.
 */
const BROTLI_QUALITY = 5;

/**
 * Compresses a page for the `Accept-Encoding` of a request.
 * Pages hold no secrets, so their compressed size reveals nothing (BREACH).
 */
export async function compressPage(
  page: string,
  accepted: string | string[] | undefined,
): Promise<{ encoding?: "br" | "gzip"; body: Buffer | string }> {
  const encoding = negotiate(String(accepted ?? ""), ["br", "gzip"]);
  if (encoding === "gzip") return { encoding, body: await compressGzip(page) };
  if (encoding !== "br") return { body: page };
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return { encoding, body: await compressBrotli(page, { params }) };
}
