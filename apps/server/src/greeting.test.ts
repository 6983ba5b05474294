import { expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

it("a server says at start that AUTO_LIMIT has no effect without verified addresses", {
  timeout: 60_000,
}, async () => {
  await using place = await makePlace("pglite");
  const greeting = async (settings: Record<string, string>) => {
    await using server = await startServerProcess({ ...place.env, ...settings });
    expect(await server.stop()).toBe(0);
    return server.greeting;
  };
  const mail = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "hub@example.org" };
  const limit = { AUTO_LIMIT: "3" };
  const warning = "AUTO_LIMIT has no effect";
  expect(await greeting(limit)).toContain(warning);
  expect(await greeting({ ...limit, ...mail, EMAIL_VERIFICATION: "off" })).toContain(warning);
  expect(await greeting({ ...limit, ...mail })).not.toContain(warning);
  expect(await greeting(mail)).not.toContain(warning);
});
