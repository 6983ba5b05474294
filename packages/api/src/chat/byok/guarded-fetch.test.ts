import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { fakeResolver } from "../../testing/servers/fake-resolver.ts";
import { startTrapServer } from "../../testing/servers/trap-server.ts";
import { createGuardedFetch, RefusedAddress } from "./guarded-fetch.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const none = new Set<string>();
const refused = (call: Promise<unknown>) => expect(call).rejects.toThrow(RefusedAddress);

describe("a host that is not listed", () => {
  const hosts = [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "0.0.0.0",
    "[::]",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "017700000001",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "LOCALHOST",
    "localhost.",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "169.254.169.254",
    "[::ffff:169.254.169.254]",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "[fd00::1]",
    "[fe80::1]",
    "user@127.0.0.1",
    "user:password@localhost",
    "api.openai.com@127.0.0.1",
    "127.0.0.1#@api.openai.com",
    "127.0.0.1\\@api.openai.com",
  ];

  it.each(hosts)("%s is not called over http or https", async (host) => {
    await using trap = await startTrapServer();
    const { lookup } = fakeResolver(["127.0.0.1"]);
    const fetch = createGuardedFetch({ allowedHosts: none, lookup });
    // Inserts the port after the host. The URL parser ends the host at `#` or a backslash.
    const at = (scheme: string) =>
      `${scheme}://${host.replace(/(?=#|\\)|$/, () => `:${trap.port}`)}/v1/models`;
    await refused(fetch(at("https")));
    await refused(fetch(at("http")));
    expect(trap.connections).toBe(0);
  });

  it.each([
    ["a private address", ["10.0.0.7"]],
    ["loopback", ["127.0.0.1"]],
    ["loopback of IPv6", ["::1"]],
    ["an IPv4-mapped address", ["::ffff:127.0.0.1"]],
    ["a NAT64 address", ["64:ff9b::7f00:1"]],
    ["a public and a private address", ["8.8.8.8", "127.0.0.1"]],
    ["a private and a public address", ["127.0.0.1", "8.8.8.8"]],
    ["no address", []],
  ])("is not called if its name resolves to %s", async (_, addresses) => {
    await using trap = await startTrapServer();
    const { lookup, names } = fakeResolver(addresses);
    const fetch = createGuardedFetch({ allowedHosts: none, lookup });
    await refused(fetch(`https://provider.example:${trap.port}/v1/models`));
    expect(names).toEqual(["provider.example"]);
    expect(trap.connections).toBe(0);
  });

  it("is connected to the address that was checked, without a second lookup", async () => {
    // 127.0.0.1 counts as a public address in this test.
    await using internet = await startTrapServer("127.0.0.1");
    await using trap = await startTrapServer("127.0.0.2", internet.port);
    const { lookup, names } = fakeResolver(["127.0.0.1"], ["127.0.0.2"]);
    const fetch = createGuardedFetch({
      allowedHosts: none,
      lookup,
      isPublic: (address) => address === "127.0.0.1",
    });
    const url = `https://provider.example:${internet.port}/v1/models`;
    // The server speaks no TLS, so that the request fails. The test only counts connections.
    await expect(fetch(url)).rejects.toThrow();
    expect([internet.connections, trap.connections]).toEqual([1, 0]);
    await refused(fetch(url));
    expect([internet.connections, trap.connections]).toEqual([1, 0]);
    // Each connection makes only one DNS lookup, so that the address cannot change between check
    // and use.
    expect(names).toHaveLength(2);
  });

  it.each(["ftp://127.0.0.1/", "file:///etc/passwd", "data:,x", "gopher://127.0.0.1/", "ws://x/"])(
    "%s is refused",
    (url) => refused(createGuardedFetch({ allowedHosts: none })(url)),
  );
});

describe("a listed host", () => {
  it("may use http and a private address, at its listed port only", async () => {
    const listed = await serve((_, response) => response.end("open"));
    const other = await serve((_, response) => response.end("closed"));
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
    expect(await (await fetch(`http://${listed}/v1`)).text()).toBe("open");
    await refused(fetch(`http://${other}/v1`));
    await refused(fetch(`http://localhost:${listed.split(":")[1]}/v1`));
    await refused(fetch(`http://user@${listed}/v1`));
  });

  it("receives method, headers and body", async () => {
    let seen: unknown;
    const listed = await serve(async (request, response) => {
      const body = (await request.toArray()).join("");
      const { method, url, headers } = request;
      seen = {
        method,
        url,
        key: headers.authorization,
        body,
        encoding: headers["accept-encoding"],
      };
      response.writeHead(201, { "x-one": "1" }).end("thanks");
    });
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
    const response = await fetch(`http://${listed}/v1/chat?x=1`, {
      method: "POST",
      headers: { authorization: "Bearer k" },
      body: "späť",
    });
    expect([response.status, response.headers.get("x-one")]).toEqual([201, "1"]);
    expect(await response.text()).toBe("thanks");
    expect(seen).toEqual({
      method: "POST",
      url: "/v1/chat?x=1",
      key: "Bearer k",
      body: "späť",
      encoding: undefined,
    });
  });

  it.each([301, 302, 303, 307, 308])(
    "is not followed to the target of a redirect: %i",
    async (status) => {
      await using trap = await startTrapServer();
      const listed = await serve((_, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${trap.port}/` }).end(),
      );
      const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
      const response = await fetch(`http://${listed}/`, { redirect: "follow" });
      expect(response.status).toBe(status);
      expect(trap.connections).toBe(0);
    },
  );

  it("is called without the proxy of the environment", async () => {
    await using proxy = await startTrapServer();
    const listed = await serve((_, response) => response.end("direct"));
    const script = `
      const { createGuardedFetch } = await import(${JSON.stringify(import.meta.resolve("./guarded-fetch.ts"))});
      const guarded = createGuardedFetch({ allowedHosts: new Set(["${listed}"]) });
      console.log(await (await guarded("http://${listed}/")).text());
      await fetch("http://${listed}/").catch(() => console.log("through the proxy"));
      process.exit();`;
    const url = `http://127.0.0.1:${proxy.port}`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { env: { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: url, HTTPS_PROXY: url } },
    );
    // The guarded fetch bypassed the proxy. The second line proves that the global fetch used it,
    // so the proxy was configured.
    expect(stdout).toBe("direct\nthrough the proxy\n");
    expect(proxy.connections).toBeGreaterThan(0);
  });

  it("is disconnected when its response exceeds the limit", async () => {
    const { promise: gone, resolve: close } = Promise.withResolvers<void>();
    const listed = await serve((_, response) => {
      response.once("close", close);
      const more = () => {
        while (response.writable && response.write(Buffer.alloc(64 * 1024, "x")));
      };
      response.on("drain", more);
      more();
    });
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
    const response = await fetch(`http://${listed}/`);
    await expect(response.text()).rejects.toThrow(/longer than 8388608 bytes/);
    await gone;
  });

  it("is disconnected when the body is cancelled", async () => {
    const { promise: gone, resolve: close } = Promise.withResolvers<void>();
    const listed = await serve((_, response) => {
      response.once("close", close);
      response.write("first");
    });
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
    await (await fetch(`http://${listed}/`)).body?.cancel();
    await gone;
  });

  it("is disconnected when the signal aborts, before or during the response", async () => {
    const closed: Promise<void>[] = [];
    const came: (() => void)[] = [];
    const listed = await serve((request, response) => {
      closed.push(new Promise((resolve) => response.once("close", () => resolve())));
      if (request.url === "/late") response.write("first");
      came.shift()?.();
    });
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
    const early = new AbortController();
    came.push(() => early.abort());
    await expect(fetch(`http://${listed}/`, { signal: early.signal })).rejects.toThrow(/abort/i);
    const late = new AbortController();
    const response = await fetch(`http://${listed}/late`, { signal: late.signal });
    late.abort();
    await expect(response.text()).rejects.toThrow();
    await Promise.all(closed);
    expect(closed).toHaveLength(2);
  });

  it("that breaks or refuses the connection rejects with the system's error", async () => {
    const listed = await serve((_, response) => void response.destroy());
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed, "127.0.0.1:1"]) });
    await expect(fetch(`http://${listed}/`)).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(fetch("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
