import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { fakeResolver } from "../../testing/fake-resolver.ts";
import { startTrapServer } from "../../testing/trap-server.ts";
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

const nobody = new Set<string>();
const refused = (call: Promise<unknown>) => expect(call).rejects.toThrow(RefusedAddress);

describe("an address that nobody listed", () => {
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

  it.each(hosts)("%s is not called, by http or https", async (host) => {
    await using trap = await startTrapServer();
    const { lookup } = fakeResolver(["127.0.0.1"]);
    const fetch = createGuardedFetch({ allowedHosts: nobody, lookup });
    // The port goes where the URL parser finds the host.
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
    ["a mapped address", ["::ffff:127.0.0.1"]],
    ["a translated address", ["64:ff9b::7f00:1"]],
    ["a public and a private address", ["8.8.8.8", "127.0.0.1"]],
    ["a private and a public address", ["127.0.0.1", "8.8.8.8"]],
    ["nothing", []],
  ])("is not called when its name leads to %s", async (_, addresses) => {
    await using trap = await startTrapServer();
    const { lookup, asked } = fakeResolver(addresses);
    const fetch = createGuardedFetch({ allowedHosts: nobody, lookup });
    await refused(fetch(`https://provider.example:${trap.port}/v1/models`));
    expect(asked).toEqual(["provider.example"]);
    expect(trap.connections).toBe(0);
  });

  it("is called where its name led at that moment, and not where it leads the next time", async () => {
    // Of this machine's addresses this one stands for the internet.
    await using internet = await startTrapServer("127.0.0.1");
    await using trap = await startTrapServer("127.0.0.2", internet.port);
    const { lookup, asked } = fakeResolver(["127.0.0.1"], ["127.0.0.2"]);
    const fetch = createGuardedFetch({
      allowedHosts: nobody,
      lookup,
      isPublic: (address) => address === "127.0.0.1",
    });
    const url = `https://provider.example:${internet.port}/v1/models`;
    // It speaks no TLS; that anybody came is what counts.
    await expect(fetch(url)).rejects.toThrow();
    expect([internet.connections, trap.connections]).toEqual([1, 0]);
    await refused(fetch(url));
    expect([internet.connections, trap.connections]).toEqual([1, 0]);
    // Once for each connection: there is no check that a name could pass and then change.
    expect(asked).toHaveLength(2);
  });

  it.each(["ftp://127.0.0.1/", "file:///etc/passwd", "data:,x", "gopher://127.0.0.1/", "ws://x/"])(
    "%s is no place to call",
    (url) => refused(createGuardedFetch({ allowedHosts: nobody })(url)),
  );
});

describe("a host that the operator listed", () => {
  it("may be http and private; the same host at another port may not", async () => {
    const listed = await serve((_, response) => response.end("open"));
    const other = await serve((_, response) => response.end("closed"));
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
    expect(await (await fetch(`http://${listed}/v1`)).text()).toBe("open");
    await refused(fetch(`http://${other}/v1`));
    await refused(fetch(`http://localhost:${listed.split(":")[1]}/v1`));
    await refused(fetch(`http://user@${listed}/v1`));
  });

  it("is told method, headers and body", async () => {
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
    "is not followed when it redirects with %i",
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

  it("is called directly, whatever proxy the environment names", async () => {
    await using proxy = await startTrapServer();
    const listed = await serve((_, response) => response.end("direct"));
    const script = `
      const { createGuardedFetch } = await import(${JSON.stringify(import.meta.resolve("./guarded-fetch.ts"))});
      const guarded = createGuardedFetch({ allowedHosts: new Set(["${listed}"]) });
      console.log(await (await guarded("http://${listed}/")).text());
      await fetch("http://${listed}/").catch(() => console.log("by the proxy"));`;
    const url = `http://127.0.0.1:${proxy.port}`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { env: { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: url, HTTPS_PROXY: url } },
    );
    // The second line is Node's own fetch, which shows that there was a proxy to use.
    expect(stdout).toBe("direct\nby the proxy\n");
    expect(proxy.connections).toBeGreaterThan(0);
  });

  it("may not answer without end", async () => {
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

  it("is let go when nobody reads on", async () => {
    const { promise: gone, resolve: close } = Promise.withResolvers<void>();
    const listed = await serve((_, response) => {
      response.once("close", close);
      response.write("first");
    });
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed]) });
    await (await fetch(`http://${listed}/`)).body?.cancel();
    await gone;
  });

  it("is let go when the caller goes, before and after the answer began", async () => {
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

  it("may break the line or be absent: then that is the error", async () => {
    const listed = await serve((_, response) => void response.destroy());
    const fetch = createGuardedFetch({ allowedHosts: new Set([listed, "127.0.0.1:1"]) });
    await expect(fetch(`http://${listed}/`)).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(fetch("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
