import { expect } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import type { DatabaseKind } from "../testing/test-database.ts";
import { PASSWORD, startTestHub } from "../testing/test-hub.ts";

/** A hub whose people sign in, and listen to a room until they are sent away. */
export async function startListeningHub(database: DatabaseKind) {
  const hub = await startTestHub({ database });
  const author = await hub.member("author");
  const { body } = await author.post("/api/souls", { title: "S", content: "C" });
  let people = 0;
  return {
    ...hub,
    newcomer: () => hub.member(`person-${++people}`),
    async signIn({ name }: Actor, password = PASSWORD) {
      const browser = hub.guest();
      const login = { username: name, password, remember: true };
      const { status } = await browser.post("/api/login", login);
      return { browser, status };
    },
    async listen(actor: Pick<Actor, "apiKey" | "cookies">) {
      const visitor = joinAs(hub, actor, { soul_id: body.id, session_token: "lobby" });
      await eventually(() => expect(visitor.types).toContain("sync"));
      return visitor;
    },
  };
}

export type ListeningHub = Awaited<ReturnType<typeof startListeningHub>>;
