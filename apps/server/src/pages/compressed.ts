import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Of what is made for each answer: beyond it a page shrinks by little and takes much longer. */
const BROTLI_QUALITY = 5;

/** A page as this browser takes it. Pages hold no secret that its size could give away. */
export async function compressed(
  page: string,
  accepted: string | string[] | undefined,
): Promise<{ encoding?: "br" | "gzip"; body: Buffer | string }> {
  const encoding = negotiate(String(accepted ?? ""), ["br", "gzip"]);
  if (encoding === "gzip") return { encoding, body: await gzipped(page) };
  if (encoding !== "br") return { body: page };
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return { encoding, body: await brotli(page, { params }) };
}
