import { expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

const mail = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "hub@example.org" };

it.each([
  ["says", "without mail", {}, true],
  ["says", "with EMAIL_VERIFICATION=off", { ...mail, EMAIL_VERIFICATION: "off" }, true],
  ["does not say", "if it verifies addresses", mail, false],
])(
  "a server %s at start that AUTO_LIMIT has no effect, %s",
  {
    timeout: 60_000,
  },
  async (_says, _when, settings, isSaid) => {
    await using place = await makePlace();
    await using server = await startServerProcess({ ...place.env, AUTO_LIMIT: "3", ...settings });
    expect(server.greeting.includes("AUTO_LIMIT has no effect")).toBe(isSaid);
  },
);
