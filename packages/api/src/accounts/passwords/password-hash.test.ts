import { expect, it } from "vitest";
import { describeHub } from "../../testing/describe-chat.ts";
import { PASSWORD } from "../../testing/test-hub.ts";

/** Capacity of the hash queue: 4 running hashes and 64 waiting ones (decisions §3, Passwords). */
const SLOTS = 4 + 64;

describeHub("password hashing under load", { realPasswordCost: true }, (hub) => {
  it("is 503 above 68 concurrent hashes, on every endpoint that checks a password", async () => {
    const ada = await hub.member("ada");
    let isBusy = true;
    // Each worker starts its next hash as soon as the last one ends, so that the hash queue stays
    // full.
    const keepHashing = async () => {
      while (isBusy) await hub.hub.passwords.hash(PASSWORD);
    };
    const workers = Array.from({ length: SLOTS }, keepHashing);
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
    isBusy = false;
    await Promise.all(workers);
    for (const { status, body, headers } of answers) {
      expect([status, body.error, headers.get("retry-after")]).toEqual([503, "overloaded", "5"]);
    }
    const login = { username: "ada", password: PASSWORD };
    expect((await hub.guest().post("/api/login", login)).status).toBe(200);
  });
});
