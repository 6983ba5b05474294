import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { testDatabases } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN_TOKEN,
  type HubProcess,
  register,
  runTool,
  startHubProcess,
} from "./hub-process.fixture.ts";

const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/.source;

/** The real tool beside the real server (decisions §5, Passes). */
describe.each(testDatabases())("pnpm hub beside a server on %s", (kind) => {
  let place: HubProcess;
  let ada: Awaited<ReturnType<typeof register>>;
  let room: object;
  const hub: HubProcess["hub"] = (...args) => place.hub(...args);
  const say = () => ada.post("/api/chat", { ...room, content: "What do you see tonight?" });

  beforeAll(async () => {
    place = await startHubProcess(kind);
    ada = await register(place, "ada");
    const { body } = await ada.post("/api/souls", { title: "T", content: "C" });
    room = { soul_id: body.id, session_token: "harbour" };
  }, 120_000);
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]();
  });

  it("grants, shows and revokes a pass", async () => {
    expect((await say()).body.error).toBe("pass_required");
    const granted = await hub("grant", "ada", "vip", "--days", "30");
    expect([granted.code, granted.stderr]).toEqual([0, ""]);
    expect(granted.stdout).toMatch(new RegExp(`^ada is vip until ${TIME}\\.\n$`));
    expect((await say()).status).toBe(200);

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
    expect((await say()).body.error).toBe("pass_required");
    expect((await hub("show", "ada")).stdout).toContain("  pass       none\n");
  });

  it("renews until a day, and says when that day is past", async () => {
    const renewed = await hub("grant", "ada", "pro", "--until", "2099-01-31");
    expect(renewed.stdout).toBe("ada is pro until 2099-01-31 00:00:00 UTC.\n");
    expect((await hub("show", "ada")).stdout).toContain("  premium    50 of 50 left\n");
    const past = await hub("grant", "ada", "pro", "--until", "2020-01-31 12:00:00");
    expect(past.stdout).toContain("ran out 2020-01-31 12:00:00 UTC: ada is free.");
    const shown = await hub("show", "ada");
    expect(shown.stdout).toContain("  pass       pro, ran out 2020-01-31 12:00:00 UTC\n");
    expect(shown.stdout).toContain("  counts as  free\n");
  });

  it("answers machines with --json, wherever it stands", async () => {
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

  it("shows what calls to models cost, in columns", async () => {
    await hub("grant", "ada", "vip", "--days", "1");
    await say();
    const everybody = await hub("usage");
    const lines = everybody.stdout.split("\n");
    expect(lines[0]).toMatch(/^Calls to models from \S+ to \S+ \(UTC\)/);
    const columns = "day         provider  model    outcome  calls  tokens in";
    expect(lines[2]).toMatch(new RegExp(`^${columns}`));
    expect(lines[3]).toMatch(/^\d{4}-\d\d-\d\d {2}offline {3}offline {2}ok {11}\d {10}– /);
    // Right under right: each line ends where its titles end.
    expect(lines[3]?.length).toBe(lines[2]?.length);
    expect(lines.at(-2)).toMatch(/^\d calls, \d ok; tokens – in, – out\.$/);

    await register(place, "ben");
    const bens = await hub("usage", "--user", "ben", "--days", "2");
    expect(bens.stdout).toMatch(/^No calls to models by ben from \S+ to \S+ \(UTC\)\.\n$/);
    const adas = await hub("usage", "--user", "ada", "--days", "1", "--json");
    expect(JSON.parse(adas.stdout)).toMatchObject({ usage: [{ provider: "offline" }] });
  });

  it.each([
    ["an unknown user", ["show", "nobody"], 1, "There is no such user."],
    ["the usage of one", ["usage", "--user", "nobody"], 1, "There is no such user."],
    ["a bad date", ["grant", "ada", "vip", "--until", "2027-02-30"], 1, "--until: must be a time"],
    ["too many days", ["usage", "--days", "91"], 1, "--days: "],
    ["days that are none", ["grant", "ada", "vip", "--days", "soon"], 2, "a whole number"],
    ["neither days nor date", ["grant", "ada", "vip"], 2, "--days 30 or --until 2027-01-31"],
    [
      "days and date",
      ["grant", "ada", "vip", "--days", "3", "--until", "2027-01-31"],
      2,
      "--days 30 or --until 2027-01-31",
    ],
    ["another tier", ["grant", "ada", "gold", "--days", "3"], 2, "vip, pro"],
    ["no name", ["show"], 2, "missing required argument 'username'"],
    ["one word too many", ["show", "ada", "ben"], 2, "too many arguments"],
    ["an unknown option", ["usage", "--dais", "3"], 2, "(Did you mean --days?)"],
    ["an unknown command", ["revok", "ada"], 2, "(Did you mean revoke?)"],
  ])("says what is wrong with %s", async (_, args, code, words) => {
    const ended = await hub(...args);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(words);
    expect(ended.stderr).not.toContain("    at ");
  });

  it("says that the token is refused, and where both were found", async () => {
    const ADMIN_TOKEN = "some-other-token";
    const ended = await runTool({ ...place.operator(), ADMIN_TOKEN }, "show", "ada");
    expect([ended.code, ended.stdout]).toEqual([4, ""]);
    expect(ended.stderr).toMatch(
      /^The hub at http:\S+ \(.+\) refuses the ADMIN_TOKEN from the environment\.\n$/,
    );
  });

  it("seals the secrets with a new master key, and the old one can be taken away", async () => {
    const login = { username: "ada", password: "correct horse battery" };
    const added = `k2:${randomBytes(32).toString("base64")}`;
    await place.restart((before) => `${added},${before}`);
    const rotated = await hub("rotate-keys");
    expect(rotated.code).toBe(0);
    // ada and ben; the harbour.
    expect(rotated.stdout).toMatch(/^api keys +2 +0$/m);
    expect(rotated.stdout).toMatch(/^session tokens +1 +0$/m);
    expect(rotated.stdout).toContain("3 stored secrets were sealed anew");
    await place.restart(() => added);
    const { body } = await place.server.actor({ name: "ada" }).post("/api/login", login);
    expect(body.api_key).toBe(ada.apiKey);

    await place.restart(() => `k3:${randomBytes(32).toString("base64")}`);
    const tooEarly = await hub("rotate-keys");
    expect(tooEarly.code).toBe(1);
    expect(tooEarly.stdout).toMatch(/^api keys +0 +2$/m);
    expect(tooEarly.stdout).toContain("put the missing key back");
  }, 120_000);
});

describe("pnpm hub", () => {
  it.each([[[]], [["--help"]]])("prints help with %j, wherever it is called", async (args) => {
    const { code, stdout } = await runTool({}, ...args);
    expect(code).toBe(0);
    for (const word of ["grant", "revoke", "show", "usage", "rotate-keys", "Exit codes"]) {
      expect(stdout).toContain(word);
    }
  });

  it("finds an embedded hub by its DATA_DIR for as long as it runs", {
    timeout: 120_000,
  }, async () => {
    await using place = await startHubProcess("pglite");
    const { address } = JSON.parse(
      await readFile(path.join(place.directory, "server.json"), "utf8"),
    );
    expect(address).toBe(place.server.url);
    // An address that a killed server left behind leads to nobody.
    await place.server.kill();
    const killed = await place.hub("show", "ada");
    expect([killed.code, killed.stderr]).toEqual([
      3,
      `No hub answers at ${address} (${path.join(place.directory, "server.json")}). Is it running?\n`,
    ]);
    await place.restart((ring) => ring);
    expect((await place.hub("show", "ada")).stderr).toBe("There is no such user.\n");
    expect(await place.server.stop()).toBe(0);
    expect(await readdir(place.directory)).not.toContain("server.json");
    const stopped = await place.hub("show", "ada");
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toMatch(/^No hub runs on .+ Start it, or set BASE_URL/);
  });

  it("sends its token to nobody but a hub", async () => {
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
      `What answers at http://localhost:${PORT} (the default) is not a Soul Hub.\n`,
    ]);
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/healthz", undefined],
    ]);
  });

  it.each([
    ["no token", { DATA_DIR: "/nonexistent" }, 4, "No ADMIN_TOKEN: it is not set, and there is no"],
    ["a bad address", { BASE_URL: "localhost", ADMIN_TOKEN }, 2, "BASE_URL: can't be used"],
    [
      "nobody there",
      { BASE_URL: "http://127.0.0.1:1", ADMIN_TOKEN },
      3,
      "No hub answers at http://127.0.0.1:1 (BASE_URL). Is it running?",
    ],
  ])("says that there is %s", async (_, env, code, words) => {
    const ended = await runTool(env as Record<string, string>, "show", "ada");
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(words);
  });
});
