import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createWallet, proveByNep413 } from "@soul-hub/api/testing";

type Wallet = ReturnType<typeof createWallet>;

/** The answer of a web wallet: the fragment with which it comes back (NEP-413). */
export function answerOf(wallet: Wallet, query: URLSearchParams): string {
  const read = (name: string) => query.get(name) ?? "";
  const { public_key, signature } = proveByNep413(wallet, read("recipient"), {
    message: read("message"),
    nonce: Buffer.from(read("nonce"), "base64"),
    callbackUrl: read("callbackUrl"),
  });
  const answer = { accountId: wallet.name, publicKey: public_key, signature, state: read("state") };
  // A careless wallet writes the "+" of base64 as it is.
  return Object.entries(answer)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** A website that plays a NEAR wallet which signs by redirect. */
export async function startWebWallet(name: string) {
  const wallet = createWallet(name);
  const server = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url ?? "", "http://localhost");
    const back = query.get("callbackUrl");
    response.setHeader("content-type", "text/html").end(`<!doctype html><title>Wallet</title>
      <a href="${back}#${answerOf(wallet, query)}">Approve</a>
      <a href="${back}#error=User%20rejected">Decline</a>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    wallet,
    url: `http://127.0.0.1:${port}/sign-message`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
