import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import {
  type Actor,
  ADMIN_TOKEN,
  emptyDatabase,
  PASSWORD,
  ruleDatabase,
  startTestHub,
  type TestHub,
} from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runTool, spawnTool, startHubProcess } from "./hub-process.fixture.ts";

const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/.source;

const masterKey = (id: string) => ({ id, key: randomBytes(32) });
const operatorOf = ({ url }: TestHub) => ({ BASE_URL: url, ADMIN_TOKEN });

/** Commands run in this process and call a hub over HTTP (decisions §5, Passes). */
describe("pnpm hub with a hub", () => {
  const kind = ruleDatabase();
  const former = masterKey("k1");
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let running: TestHub;
  let ada: Actor;
  let room: object;
  const hub = (...args: string[]) => runTool(operatorOf(running), ...args);
  const send = () => ada.post("/api/chat", { ...room, content: "What do you see tonight?" });

  beforeAll(async () => {
    database = await emptyDatabase(kind);
    running = await startTestHub({ database, masterKeys: [former] });
    ada = await running.member("ada");
    const { body } = await ada.post("/api/souls", { title: "T", content: "C" });
    room = { soul_id: body.id, session_token: "harbour" };
  });
  afterAll(() => running?.close());

  it("grants, shows and revokes a pass", async () => {
    expect((await send()).body.error).toBe("pass_required");
    const granted = await hub("grant", "ada", "vip", "--days", "30");
    expect([granted.code, granted.stderr]).toEqual([0, ""]);
    expect(granted.stdout).toMatch(new RegExp(`^ada is vip until ${TIME}\\.\n$`));
    expect((await send()).status).toBe(200);

    const shown = await hub("show", "Ada");
    expect(shown.stdout).toMatch(
      new RegExp(
        [
          "^ada",
          `  pass       vip, until ${TIME}`,
          "  counts as  vip",
          `  today      1 used, 199 of 200 left until ${TIME}\n$`,
        ].join("\n"),
      ),
    );

    expect((await hub("revoke", "ada")).stdout).toBe("ada is free.\n");
    expect((await send()).body.error).toBe("pass_required");
    expect((await hub("show", "ada")).stdout).toContain("  pass       none\n");
  });

  it("renews a pass until a date, and reports a date in the past", async () => {
    const renewed = await hub("grant", "ada", "pro", "--until", "2099-01-31");
    expect(renewed.stdout).toBe("ada is pro until 2099-01-31 00:00:00 UTC.\n");
    expect((await hub("show", "ada")).stdout).toContain("  premium    50 of 50 left\n");
    const past = await hub("grant", "ada", "pro", "--until", "2020-01-31 12:00:00");
    expect(past.stdout).toContain("ran out 2020-01-31 12:00:00 UTC: ada is free.");
    const shown = await hub("show", "ada");
    expect(shown.stdout).toContain("  pass       pro, expired 2020-01-31 12:00:00 UTC\n");
    expect(shown.stdout).toContain("  counts as  free\n");
  });

  it("prints JSON with --json before or after the command", async () => {
    await hub("grant", "ada", "vip", "--until", "2099-01-31", "--json");
    for (const args of [
      ["show", "ada", "--json"],
      ["--json", "show", "ada"],
    ]) {
      const { code, stdout } = await hub(...args);
      expect([code, JSON.parse(stdout)]).toMatchObject([
        0,
        {
          username: "ada",
          tier: "vip",
          effective_tier: "vip",
          expires_at: "2099-01-31 00:00:00",
          quota: { daily_limit: 200 },
        },
      ]);
    }
    const failed = await hub("show", "nobody", "--json");
    expect([failed.code, failed.stdout]).toEqual([1, ""]);
    expect(JSON.parse(failed.stderr)).toMatchObject({ success: false, error: "user_not_found" });
  });

  it("shows calls to models and their tokens in columns", async () => {
    await hub("grant", "ada", "vip", "--days", "1");
    await send();
    const all = await hub("usage");
    const lines = all.stdout.split("\n");
    expect(lines[0]).toMatch(/^Calls to models from \S+ to \S+ \(UTC\)/);
    const columns = "day         provider  model    outcome  calls  tokens in";
    expect(lines[2]).toMatch(new RegExp(`^${columns}`));
    expect(lines[3]).toMatch(/^\d{4}-\d\d-\d\d {2}offline {3}offline {2}ok {11}\d {10}– /);
    // The last column of the table is aligned right, so each row is as long as the row of titles.
    expect(lines[3]?.length).toBe(lines[2]?.length);
    expect(lines.at(-2)).toMatch(/^\d calls, \d ok; tokens – in, – out\.$/);

    await running.member("ben");
    const bens = await hub("usage", "--user", "ben", "--days", "2");
    expect(bens.stdout).toMatch(/^No calls to models by ben from \S+ to \S+ \(UTC\)\.\n$/);
    const adas = await hub("usage", "--user", "ada", "--days", "1", "--json");
    expect(JSON.parse(adas.stdout)).toMatchObject({ usage: [{ provider: "offline" }] });
  });

  it.each([
    ["an unknown user", ["show", "nobody"], 1, "No user has this username."],
    ["the usage of one", ["usage", "--user", "nobody"], 1, "No user has this username."],
    ["a bad date", ["grant", "ada", "vip", "--until", "2027-02-30"], 1, "--until: must be a time"],
    ["too many days", ["usage", "--days", "91"], 1, "--days: "],
    ["days that are not a number", ["grant", "ada", "vip", "--days", "soon"], 2, "a whole number"],
    ["neither days nor date", ["grant", "ada", "vip"], 2, "--days 30 or --until 2027-01-31"],
    [
      "days and date",
      ["grant", "ada", "vip", "--days", "3", "--until", "2027-01-31"],
      2,
      "--days 30 or --until 2027-01-31",
    ],
    [
      "days of a suspension that ends",
      ["suspend", "ada", "--lift", "--days", "3"],
      2,
      "either --days 7 or --lift",
    ],
    ["another tier", ["grant", "ada", "gold", "--days", "3"], 2, "vip, pro"],
    ["a missing username", ["show"], 2, "missing required argument 'username'"],
    ["one argument too many", ["show", "ada", "ben"], 2, "too many arguments"],
    ["an unknown option", ["usage", "--dais", "3"], 2, "(Did you mean --days?)"],
    ["an unknown command", ["revok", "ada"], 2, "(Did you mean revoke?)"],
  ])("reports %s", async (_, args, code, words) => {
    const ended = await hub(...args);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(words);
    expect(ended.stderr).not.toContain("    at ");
  });

  it("reports a rejected token, and the sources of address and token", async () => {
    const ADMIN_TOKEN = "some-other-token";
    const ended = await runTool({ BASE_URL: running.url, ADMIN_TOKEN }, "show", "ada");
    expect([ended.code, ended.stdout]).toEqual([4, ""]);
    expect(ended.stderr).toMatch(
      /^The hub at http:\S+ \(.+\) rejected the ADMIN_TOKEN from the environment\.\n$/,
    );
  });
});

describe("pnpm hub rotate-keys with a hub", () => {
  const kind = ruleDatabase();
  it("re-encrypts the secrets with a new master key, so that the old key can be removed", async () => {
    const own = await emptyDatabase(kind);
    const former = masterKey("k1");
    let restarted = await startTestHub({ database: own, masterKeys: [former] });
    const restart = async (...masterKeys: ReturnType<typeof masterKey>[]) => {
      await restarted.close();
      restarted = await startTestHub({ database: own, masterKeys });
    };
    const rotate = () => runTool(operatorOf(restarted), "rotate-keys");
    const eve = await restarted.member("eve");
    const added = masterKey("k2");
    await restart(added, former);
    const rotated = await rotate();
    expect(rotated.code).toBe(0);
    expect(rotated.stdout).toMatch(/^api keys +1 +0$/m);
    expect(rotated.stdout).toContain("1 stored secret was re-encrypted");
    await restart(added);
    const login = { username: "eve", password: PASSWORD };
    const { body } = await restarted.guest().post("/api/login", login);
    expect(body.api_key).toBe(eve.apiKey);

    await restart(masterKey("k3"));
    const tooEarly = await rotate();
    expect(tooEarly.code).toBe(1);
    expect(tooEarly.stdout).toMatch(/^api keys +0 +1$/m);
    expect(tooEarly.stdout).toContain("restore the missing key");
    await restarted.close();
  });
});

describe("pnpm hub", () => {
  it.each([[[]], [["--help"]]])("prints help with the arguments %j and no hub", async (args) => {
    const { code, stdout } = await spawnTool({}, ...args);
    expect(code).toBe(0);
    for (const word of ["grant", "revoke", "show", "usage", "rotate-keys", "Exit codes"]) {
      expect(stdout).toContain(word);
    }
  });

  it("exits with the same codes and output in a process of its own", async () => {
    await using running = await startTestHub();
    await running.member("ada");
    const operator = operatorOf(running);
    for (const args of [
      ["grant", "ada", "pro", "--until", "2099-01-31"],
      ["show", "nobody", "--json"],
      ["show"],
    ]) {
      expect(await spawnTool(operator, ...args)).toEqual(await runTool(operator, ...args));
    }
  });

  it("finds an embedded hub by its DATA_DIR while it runs", {
    timeout: 120_000,
  }, async () => {
    await using running = await startHubProcess();
    const { address } = JSON.parse(
      await readFile(path.join(running.directory, "server.json"), "utf8"),
    );
    expect(address).toBe(running.server.url);
    // A killed server leaves server.json with its address behind.
    await running.server.kill();
    const killed = await running.hub("show", "ada");
    expect([killed.code, killed.stderr]).toEqual([
      3,
      `No hub answers at ${address} (${path.join(running.directory, "server.json")}). Is it running?\n`,
    ]);
    await running.restart((former) => `k2:${randomBytes(32).toString("base64")},${former}`);
    expect((await running.hub("show", "ada")).stderr).toBe("No user has this username.\n");
    expect((await running.hub("rotate-keys")).code).toBe(0);
    expect(await running.server.stop()).toBe(0);
    expect(await readdir(running.directory)).not.toContain("server.json");
    const stopped = await running.hub("show", "ada");
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toMatch(/^No hub runs on .+ Start it, or set BASE_URL/);
  });

  it("sends its token only to a hub", async () => {
    const seen: IncomingMessage[] = [];
    const other = createServer((request, response) => {
      seen.push(request);
      response.end("<!doctype html><p>Something else</p>");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const PORT = String((other.address() as AddressInfo).port);
    const ended = await runTool({ ADMIN_TOKEN, PORT, DATA_DIR: "/nonexistent" }, "show", "ada");
    other.close();
    expect([ended.code, ended.stderr]).toEqual([
      3,
      `The server at http://localhost:${PORT} (the default) is not a Soul Hub.\n`,
    ]);
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/healthz", undefined],
    ]);
  });

  it.each([
    ["a missing token", { DATA_DIR: "/nonexistent" }, 4, "No ADMIN_TOKEN: the variable is not set"],
    ["a bad address", { BASE_URL: "localhost", ADMIN_TOKEN }, 2, "BASE_URL: invalid value."],
    [
      "an address without a server",
      { BASE_URL: "http://127.0.0.1:1", ADMIN_TOKEN },
      3,
      "No hub answers at http://127.0.0.1:1 (BASE_URL). Is it running?",
    ],
  ])("reports %s", async (_, env, code, words) => {
    const ended = await runTool(env as Record<string, string>, "show", "ada");
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(words);
  });
});
