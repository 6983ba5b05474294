import { describe, expect, it } from "vitest";
import { describeHub } from "../testing/describe-chat.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import { createApiKey } from "./api-key.ts";

/** Each endpoint accepts its documented credentials and refuses bad ones (decisions §1 and §3). */
describeHub("credentials", {}, (hub) => {
  it.each([
    ["malformed", "Bearer nonsense"],
    ["mistyped", `Bearer ${createApiKey().slice(0, -1)}!`],
    ["unknown", `Bearer ${createApiKey()}`],
    ["empty", "Bearer "],
    ["of another scheme", "Basic YTpi"],
  ])("refuses a key that is %s, also on public endpoints", async (_, authorization) => {
    for (const path of ["/api/souls", "/api/categories", "/api/chat-quota", "/api/me"]) {
      const { status, body, headers } = await hub.guest().get(path, { authorization });
      expect([path, status, body.error]).toEqual([path, 401, "unauthenticated"]);
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("refuses ADMIN_TOKEN except on operator endpoints", async () => {
    const { status } = await hub
      .guest()
      .get("/api/souls", { authorization: `Bearer ${hub.hub.config.adminToken}` });
    expect(status).toBe(401);
  });

  it("accepts a session on Session/Key endpoints but not on Bearer endpoints", async () => {
    await hub.member("sam");
    const browser = await hub.signIn("sam");
    expect((await browser.get("/api/my-souls")).status).toBe(200);
    const { status, body } = await browser.post("/api/souls", { title: "x", content: "y" });
    expect([status, body.error]).toEqual([401, "unauthenticated"]);
  });

  describe("CSRF: a state-changing call authenticated by a cookie", () => {
    const signedIn = async (name: string) => {
      await hub.member(name);
      const browser = await hub.signIn(name);
      return browser;
    };

    it.each([
      ["from another site", { "sec-fetch-site": "cross-site" }, 403],
      ["from a sibling site", { "sec-fetch-site": "same-site" }, 403],
      ["from the hub's pages", { "sec-fetch-site": "same-origin" }, 200],
      ["typed by the user", { "sec-fetch-site": "none" }, 200],
    ])("%s", async (label, headers, expected) => {
      const browser = await signedIn(`csrf-${label.replaceAll(/\W/g, "-").slice(0, 20)}`);
      const { status } = await browser.post("/api/logout", {}, headers);
      expect(status).toBe(expected);
    });

    it("is decided by Origin without Sec-Fetch-Site, and refused without both", async () => {
      await hub.member("olga");
      const login = await hub
        .guest()
        .post("/api/login", { username: "olga", password: PASSWORD, remember: true });
      const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const call = (headers: Record<string, string>) =>
        fetch(`${hub.url}/api/logout`, {
          method: "POST",
          body: "{}",
          headers: { "content-type": "application/json", cookie, ...headers },
        }).then(({ status }) => status);
      expect(await call({})).toBe(403);
      expect(await call({ origin: "https://evil.example" })).toBe(403);
      expect(await call({ origin: hub.url })).toBe(200);
    });

    it("is allowed with an API key, which browsers never add themselves", async () => {
      const owner = await hub.member("keyed");
      const { status } = await owner.post(
        "/api/souls",
        { title: "T", content: "C" },
        { "sec-fetch-site": "cross-site" },
      );
      expect(status).toBe(200);
    });
  });
});
