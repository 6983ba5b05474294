import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { type Actor, describeHub, PASSWORD, startTestHub } from "@soul-hub/api/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  CTRL_C,
  ENTER,
  hasTerminals,
  keyOf,
  type Machine,
  modeOf,
  startMachine,
} from "./soul-hub.fixture.ts";

/** Keys of the terminal (0055). */
describeHub("the account in the terminal", {}, (hub) => {
  let ada: Actor;
  let machine: Machine;
  let count = 0;
  beforeEach(async () => {
    ada = await hub.member(`ada${++count}`);
    machine = await startMachine(hub);
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  const keys = async () => (await ada.get("/api/keys")).body.keys.slice(1);
  const config = async () => JSON.parse(await readFile(machine.configFile, "utf8"));
  const run = (...args: string[]) => machine.run(args);

  async function answer(args: string[], password = PASSWORD) {
    const terminal = await machine.open(args);
    await terminal.sees(/Username at \S+: /);
    terminal.type(`${ada.name}${ENTER}`);
    await terminal.sees("Password: ");
    terminal.type(`${password}${ENTER}`);
    const code = await terminal.exited;
    expect(terminal.text()).not.toContain(password);
    return { code, text: terminal.text() };
  }

  describe.runIf(hasTerminals)("at a terminal", () => {
    it("makes a key for this machine, uses it and revokes it", async () => {
      const { code, text } = await answer(["login"]);
      expect([code, text]).toEqual([0, expect.stringContaining(`Logged in to ${hub.url} as ada`)]);
      expect(await keys()).toMatchObject([
        {
          name: hostname().slice(0, 60),
          scopes: ["souls:read", "souls:write", "chat", "social", "account:read"],
          expires_at: null,
        },
      ]);
      expect(await modeOf(machine.configFile)).toBe(0o600);
      expect(await modeOf(path.dirname(machine.configFile))).toBe(0o700);
      expect((await run("whoami")).stdout).toBe(
        `${ada.name} at ${hub.url} (by the key of login)\n`,
      );

      const { key } = await config();
      expect((await run("logout")).stdout).toContain("The key is revoked.");
      expect(await keys()).toEqual([]);
      expect((await run("whoami")).code).toBe(4);
      const me = await fetch(`${hub.url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
      expect(me.status).toBe(401);
    });

    it("replaces its own key at the next login, also in a folder that others may read", async () => {
      await mkdir(path.dirname(machine.configFile), { recursive: true });
      await chmod(path.dirname(machine.configFile), 0o755);
      await answer(["login"]);
      await answer(["login"]);
      expect((await keys()).length).toBe(1);
      expect(await modeOf(path.dirname(machine.configFile))).toBe(0o700);
    });

    it("keeps no key after a wrong password", async () => {
      expect((await answer(["login"], "a wrong battery")).code).toBe(4);
      expect(await keys()).toEqual([]);
      await expect(config()).rejects.toThrow("ENOENT");
    });

    it("ends with 130 on Ctrl-C", async () => {
      const terminal = await machine.open(["login"]);
      await terminal.sees(/Username at \S+: /);
      terminal.type(CTRL_C);
      expect(await terminal.exited).toBe(130);
    });

    it("creates a key in a file, lists and revokes it", async () => {
      const file = path.join(machine.folder, "ci.key");
      const made = await answer(["keys", "create", "ci", "--scope", "chat", "--out", file]);
      expect(made.code).toBe(0);
      expect(await modeOf(file)).toBe(0o600);
      const [key] = await keys();
      expect(key).toMatchObject({ name: "ci", scopes: ["chat"] });
      expect(await readFile(file, "utf8")).toContain(key.prefix);
      const again = await answer(["keys", "create", "ci", "--scope", "chat", "--out", file]);
      expect([again.code, (await keys()).length]).toEqual([2, 1]);
      expect((await answer(["keys", "list"])).text).toMatch(/ {2}ci +shk_\w{4}… +chat/);
      expect((await answer(["keys", "revoke", String(key.id)])).code).toBe(0);
      expect(await keys()).toEqual([]);
      await expect(config()).rejects.toThrow("ENOENT");
    });

    it("tells a server that is no hub no password", async () => {
      const bodies: string[] = [];
      const other = createServer(async (request, response) => {
        for await (const piece of request) bodies.push(String(piece));
        response.end("{}");
      });
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const terminal = await machine.open(["login", "--url", url]);
      expect(await terminal.exited).toBe(3);
      expect(bodies).toEqual([]);
      other.close();
    });
  });

  it("keeps a key from stdin, and only forgets it at logout", async () => {
    const key = await keyOf(ada);
    const { code, stdout } = await machine.run(["login", "--key-stdin"], { input: key });
    expect([code, stdout]).toEqual([0, `Logged in to ${hub.url} as ${ada.name}.\n`]);
    expect(await config()).toEqual({ hub: hub.url, key, is_made: false });
    expect((await run("logout")).stdout).toContain("The key is forgotten.");
    expect((await keys()).length).toBe(1);
    await expect(config()).rejects.toThrow("ENOENT");
  });

  it("keeps no key that the hub does not know", async () => {
    const unknown = `shk_${"0".repeat(36)}`;
    const login = await machine.run(["login", "--key-stdin"], { input: unknown });
    expect(login.code).toBe(4);
    const garbled = await machine.run(["login", "--key-stdin"], { input: "password" });
    expect([garbled.code, garbled.stderr]).toEqual([2, expect.not.stringContaining("password")]);
    await expect(config()).rejects.toThrow("ENOENT");
  });

  it("asks nothing without a terminal", async () => {
    for (const args of [["login"], ["keys", "list"]]) {
      const { code, stderr } = await run(...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining("needs a terminal")]);
    }
  });

  it("uses SOUL_HUB_KEY and SOUL_HUB_URL before the login", async () => {
    await machine.run(["login", "--key-stdin"], { input: await keyOf(ada) });
    const ben = await hub.member(`ben${count}`);
    const env = { SOUL_HUB_KEY: await keyOf(ben) };
    const { stdout } = await machine.run(["whoami"], { env });
    expect(stdout).toBe(`${ben.name} at ${hub.url} (by SOUL_HUB_KEY)\n`);
    // The key of the login belongs to its own hub.
    await using other = await startTestHub();
    const elsewhere = await machine.run(["whoami"], { env: { SOUL_HUB_URL: other.url } });
    expect(elsewhere.code).toBe(4);
    expect(other.log.join("")).not.toContain((await config()).key);
  });

  it("names a hub that does not answer with exit code 3, a wrong setting with 2", async () => {
    const away = { SOUL_HUB_URL: "http://127.0.0.1:1" };
    const gone = await machine.run(["search", "--json"], { env: away });
    expect([gone.code, gone.stdout, JSON.parse(gone.stderr)]).toEqual([
      3,
      "",
      { success: false, error: "no_hub", message: "No hub answers at http://127.0.0.1:1." },
    ]);
    expect((await machine.run(["search"], { env: { SOUL_HUB_URL: "hub" } })).code).toBe(2);
    await mkdir(path.dirname(machine.configFile), { recursive: true });
    await writeFile(machine.configFile, "{");
    expect((await run("search")).code).toBe(2);
    expect((await run("sing")).code).toBe(2);
    expect((await run("show", "seven")).code).toBe(2);
  });
});
