import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, startTestHub, type TestHub } from "../testing/test-hub.ts";
import { hashPassword } from "./password.ts";

/** Decisions §3: 4 hashes at once, 64 waiting. */
const PLACES = 4 + 64;

describe("a crowd that signs in", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub();
  });
  afterAll(() => hub.close());

  it("is turned away beyond 68 at a time: 503, wherever a password is checked", async () => {
    const ada = await hub.member("ada");
    let isCrowded = true;
    // Whoever is done stands in line again before anybody else can.
    const standInLine = async () => {
      while (isCrowded) await hashPassword(PASSWORD);
    };
    const crowd = Array.from({ length: PLACES }, standInLine);
    const change = {
      current_password: PASSWORD,
      new_password: "new words",
      confirm_password: "new words",
    };
    const answers = await Promise.all([
      hub.guest().post("/api/login", { username: "ada", password: PASSWORD }),
      hub
        .guest()
        .post("/api/register", { username: "bob", password: PASSWORD, email: "b@example.org" }),
      ada.post("/api/change-password", change),
      ada.post("/api/api-key", { password: PASSWORD }),
    ]);
    isCrowded = false;
    await Promise.all(crowd);
    for (const { status, body, headers } of answers) {
      expect([status, body.error, headers.get("retry-after")]).toEqual([503, "overloaded", "5"]);
    }
    const login = { username: "ada", password: PASSWORD };
    expect((await hub.guest().post("/api/login", login)).status).toBe(200);
  });
});
