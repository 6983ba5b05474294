import { readdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type Actor, eventually, startChatHub, type TestHub } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CTRL_C,
  hasTerminals,
  keyOf,
  type Machine,
  machineOf,
  startMachine,
} from "./soul-hub.fixture.ts";

/** Sets the title of the window, clears the screen, and turns the text's direction around. */
const HOSTILE = "\u001b]0;pwned\u0007\u001b[2J\u009b31m\u202eevil\u2066";
const CONTROL = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/u;

describe("text of others in the terminal", () => {
  let hub: TestHub;
  let machine: Machine;
  let id: number;
  beforeAll(async () => {
    hub = await startChatHub({ provider: { reply: () => `Aye.${HOSTILE} Aye.` } });
    const ada = await hub.vip("ada");
    machine = await machineOf(hub, ada);
    const files = { "SOUL.md": `Light.${HOSTILE}\n\tKept.`, "RULES.md": "None." };
    const soul = { title: "Keeper", content: JSON.stringify(files) };
    id = (await ada.post("/api/souls", { ...soul, description: HOSTILE })).body.id;
    await ada.put(`/api/soul/${id}`, {
      content: JSON.stringify({ ...files, "RULES.md": `Few.${HOSTILE}` }),
    });
    // A request cannot bring them on one line. An older hub may have stored them.
    const stored = { title: `Keeper${HOSTILE}`, version_note: `a note${HOSTILE}` };
    await hub.hub.database.db.updateTable("souls").set(stored).where("id", "=", id).execute();
  });
  afterAll(async () => {
    await machine[Symbol.asyncDispose]();
    await hub.close();
  });

  it.each([
    ["search", () => ["search", "keeper"]],
    ["show", () => ["show", String(id)]],
    ["versions", () => ["versions", String(id)]],
    ["diff", () => ["diff", String(id)]],
    ["publish", () => ["publish", "keeper", "--dry-run"]],
  ])("loses its controls in %s, and JSON escapes them", async (_, args) => {
    await machine.run(["pull", String(id), "keeper", "--force"]);
    const { code, stdout, stderr } = await machine.run(args());
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringMatching(CONTROL)]);
    const json = await machine.run([...args(), "--json"]);
    expect(json.stdout).not.toMatch(CONTROL);
    expect(() => JSON.parse(json.stdout)).not.toThrow();
  });

  it("is whole in JSON, and keeps its tabs and line breaks on the screen", async () => {
    const { stdout } = await machine.run(["show", String(id), "--json"]);
    expect(JSON.parse(stdout).title).toBe(`Keeper${HOSTILE}`);
    expect((await machine.run(["show", String(id)])).stdout).toContain("evil\n\tKept.");
  });

  it("loses its controls in a reply, also while it streams", async () => {
    const { stdout } = await machine.run(["chat", String(id)], { input: "Is it dark?" });
    expect(stdout).toBe("Aye.]0;pwned[2J31mevil Aye.\n");
    const json = await machine.run(["chat", String(id), "--json"], { input: "Is it dark?" });
    expect(json.stdout).not.toMatch(CONTROL);
  });

  it.runIf(hasTerminals)("gets colors of the tool alone, and none with NO_COLOR", async () => {
    const colored = await machine.open(["diff", String(id)]);
    await colored.exited;
    expect(colored.text()).toContain("\u001b[32m+Few.]0;pwned");
    const plain = await machine.open(["diff", String(id)], { NO_COLOR: "1" });
    await plain.exited;
    expect(plain.text()).not.toContain("\u001b");
    for (const { text } of [colored, plain]) {
      for (const begin of ["\u001b]", "\u009b", "\u202e"]) expect(text()).not.toContain(begin);
    }
  });
});

/** A server that sends every request elsewhere, where no request may arrive. */
describe("a key", () => {
  let hub: TestHub;
  let ada: Actor;
  const elsewhere: IncomingMessage[] = [];
  const other = createServer((request, response) => {
    elsewhere.push(request);
    response.end("{}");
  });
  const redirecting = createServer((request, response) => {
    request.resume();
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}${request.url}`;
    response.writeHead(307, { location }).end();
  });
  beforeAll(async () => {
    hub = await startChatHub();
    ada = await hub.vip("ada");
    for (const server of [other, redirecting]) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    }
  });
  afterAll(async () => {
    other.close();
    redirecting.close();
    await hub.close();
  });

  it.each([
    [["whoami"], ""],
    [["search"], ""],
    [["pull", "1"], ""],
    [["export", "--all"], ""],
    [["chat", "1"], "Hello?"],
    [["publish", "soul.md"], ""],
    [["import", "soul.md"], ""],
  ])("follows no redirect of %j", async (args, input) => {
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    await using machine = await startMachine({ url });
    await writeFile(path.join(machine.folder, "soul.md"), "# Orla");
    const env = { SOUL_HUB_KEY: await keyOf(ada) };
    const { code, stdout } = await machine.run(args, { env, input });
    expect([code, stdout, elsewhere.length]).toEqual([3, "", 0]);
  });

  it("follows no redirect of mcp", async () => {
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    await using machine = await startMachine({ url });
    const env = { SOUL_HUB_KEY: await keyOf(ada) };
    const input = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
    const { stdout } = await machine.run(["mcp"], { env, input });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { code: -32_000 } });
    expect(elsewhere).toEqual([]);
  });
});

/** A proxy, a captive portal or an attacker, who need not answer as a hub does. */
describe("a server that is no hub", () => {
  let answer: (response: ServerResponse, url: string) => void;
  const server = createServer((request, response) => {
    request.resume();
    answer(response, request.url ?? "");
  });
  let machine: Machine;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    machine = await startMachine({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await writeFile(path.join(machine.folder, "soul.md"), "# Orla");
  });
  afterAll(async () => {
    await machine[Symbol.asyncDispose]();
    server.close();
  });

  const asJson = (response: ServerResponse, body: string) =>
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  const noRoles = '{"result":{"data":{"success":true,"data":[]}}}';
  const isRoles = (url: string) => url.includes("categories");
  const commands = [
    ["whoami"],
    ["search"],
    ["pull", "1"],
    ["export", "1"],
    ["import", "soul.md"],
    ["publish", "soul.md"],
    ["chat", "1"],
  ];

  it.each(commands)("is told from a hub by %s", async (...args) => {
    answer = (response, url) => asJson(response, isRoles(url) ? noRoles : HOSTILE);
    const { code, stdout, stderr } = await machine.run(args, { input: "Hello?" });
    expect([code, stdout, stderr]).toEqual([3, "", expect.not.stringMatching(CONTROL)]);
    expect(stderr.split("\n")).toHaveLength(2);
  });

  it.each(commands)("may break off in the midst of an answer to %s", async (...args) => {
    answer = (response, url) => {
      if (isRoles(url)) return asJson(response, noRoles);
      response.writeHead(200, { "content-type": "application/json", "content-length": 1_000 });
      response.write("{", () => response.destroy());
    };
    const { code, stderr } = await machine.run(args, { input: "Hello?" });
    expect([code, stderr.split("\n").length]).toEqual([3, 2]);
  });

  it.runIf(hasTerminals)("leaves no part of a file when Ctrl-C ends a download", async () => {
    const begun = Promise.withResolvers<void>();
    answer = (response) => {
      const name = 'attachment; filename="keeper.zip"';
      response.writeHead(200, { "content-disposition": name, "content-length": 1_000 });
      response.write("PK", () => begun.resolve());
    };
    const terminal = await machine.open(["export", "1"]);
    await begun.promise;
    await eventually(async () => {
      expect(await readdir(machine.folder)).toContainEqual(expect.stringMatching(/^\.keeper/));
    });
    terminal.type(CTRL_C);
    expect(await terminal.exited).toBe(130);
    expect(await readdir(machine.folder)).toEqual(["soul.md"]);
  });

  it("writes nothing but JSON-RPC to the stdout of mcp", async () => {
    answer = (response) => {
      const body = { success: false, error: "overloaded", message: `Full.${HOSTILE}` };
      response.writeHead(503, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const input = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
    const { stdout } = await machine.run(["mcp"], { input });
    expect(stdout).not.toMatch(CONTROL);
    const error = { code: -32_000, message: `Full.${HOSTILE}` };
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id: 1, error });
  });
});
