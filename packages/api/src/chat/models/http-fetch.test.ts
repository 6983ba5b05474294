import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished, vi } from "vitest";
import { httpFetch } from "./http-fetch.ts";
import { readFault } from "./provider-fault.ts";

async function serve(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

it.each(["http", "https"])(
  "rejects a connection over %s that is not made in time",
  async (scheme) => {
    const call = httpFetch(`${scheme}://provider.test`, {}, { lookup: () => {}, connectMs: 1 });
    const error = await call.catch((error) => error);
    expect(error).toMatchObject({ code: "ETIMEDOUT" });
    expect(readFault(error)).toMatchObject({ retryable: true });
  },
);

it("does not limit the time of a response", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await using server = await serve((response) => {
    vi.advanceTimersByTime(60_000);
    response.end("late");
  });
  expect(await (await httpFetch(server.url)).text()).toBe("late");
});

it("rejects a compressed response by the name of its encoding, but keeps the status of an error", async () => {
  let status = 200;
  await using server = await serve((response) =>
    response.writeHead(status, { "content-encoding": "gzip" }).end(gzipSync("Hello")),
  );
  await expect(httpFetch(server.url)).rejects.toThrow("compressed with gzip");
  status = 503;
  expect((await httpFetch(server.url)).status).toBe(503);
});
