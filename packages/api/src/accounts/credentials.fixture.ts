import { expect } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import { PASSWORD, startTestHub, type TestHubOptions } from "../testing/test-hub.ts";

/** Starts a hub with helpers to create members, sign them in and subscribe them to a room. */
export async function startSignInHub(options: TestHubOptions = {}) {
  const hub = await startTestHub(options);
  const author = await hub.member("author");
  const { body } = await author.post("/api/souls", { title: "S", content: "C" });
  let members = 0;
  return {
    ...hub,
    createMember: () => hub.member(`person-${++members}`),
    /**
     * Logs in from a new browser and requests a session. Returns the browser and the response
     * status.
     */
    async signIn({ name }: Actor, password = PASSWORD) {
      const browser = hub.guest();
      const login = { username: name, password, remember: true };
      const { status } = await browser.post("/api/login", login);
      return { browser, status };
    },
    /** Subscribes the actor to the room `lobby` and waits for the event `sync`. */
    async subscribe(actor: Pick<Actor, "apiKey" | "cookies">) {
      const visitor = joinAs(hub, actor, { soul_id: body.id, session_token: "lobby" });
      await eventually(() => expect(visitor.types).toContain("sync"));
      return visitor;
    },
  };
}

export type SignInHub = Awaited<ReturnType<typeof startSignInHub>>;
