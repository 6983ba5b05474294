import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { createWallet, loginBody } from "../../wallet/wallet.fixture.ts";

const SECRET = "the cause, for the log only";

/**
 * A response with status 500 does not show the cause of the error. The hub logs the cause
 * (decisions §1).
 */
describe("an unexpected error", () => {
  let hub: TestHub;
  beforeAll(async () => {
    const fail = async () => {
      throw new TypeError(SECRET);
    };
    hub = await startTestHub({ chain: { hasFullAccess: fail, ownsToken: fail } });
  });
  afterAll(() => hub.close());

  it.each(["/api/wallet-login", "/trpc/wallet.login"])("is 500 internal at %s", async (path) => {
    hub.log.length = 0;
    const answer = await hub.guest().post(path, loginBody(createWallet("ada.near")));
    expect([answer.status, answer.text.includes(SECRET)]).toEqual([500, false]);
    expect(answer.text).not.toMatch(/TypeError|node_modules|\bat \w+ \(/);
    const failed = hub.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    expect(failed.map(({ err }) => err.message)).toEqual([expect.stringContaining(SECRET)]);
  });

  it("has the shape of every other error", async () => {
    const { body, headers } = await hub
      .guest()
      .post("/api/wallet-login", loginBody(createWallet("ada.near")));
    expect(body).toEqual({
      success: false,
      error: "internal",
      message: expect.any(String),
      request_id: headers.get("x-request-id"),
    });
  });
});
