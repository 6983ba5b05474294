import { ADMIN_TOKEN, PASSWORD, startTestHub } from "@soul-hub/api/testing";
import { expect, it } from "vitest";
import { runTool } from "./hub-process.fixture.ts";

it("makes a link to a new password for a hub without mail", async () => {
  await using hub = await startTestHub();
  await hub.member("ada");
  const env = { BASE_URL: hub.url, ADMIN_TOKEN };
  const made = await runTool(env, "reset-link", "ada", "--hours", "2");
  expect([made.code, made.stderr]).toEqual([0, ""]);
  const [, token] = /\/reset-password#([\w-]{43})\n/.exec(made.stdout) ?? [];
  const next = { token, new_password: "a quieter battery" };
  expect((await hub.guest().post("/api/reset-password", next)).status).toBe(200);
  const login = (password: string) => hub.guest().post("/api/login", { username: "ada", password });
  expect((await login(PASSWORD)).status).toBe(401);
  expect((await login("a quieter battery")).status).toBe(200);
  const unknown = await runTool(env, "reset-link", "nobody-here");
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("No user")]);
});
