import type { Actor, ServerProcess } from "@soul-hub/api/testing";
import { expect } from "vitest";

/** What the server has said was done. */
interface Acknowledged {
  souls: { id: number; title: string }[];
  /** In the order of their answers; those of one soul were sent one after the other. */
  updates: { id: number; title: string }[];
  exchanges: { question: string; reply: string }[];
  readonly total: number;
}

const ACCOUNTS = 4;
/** As many replies as one account may ask for at a time. */
const WRITERS_EACH = 8;
const SESSION = "lobby";

/** Accounts that publish, update and chat at the server, all at once, until it is gone. */
export async function startWriting(server: ServerProcess, adminToken: string) {
  const acknowledged: Acknowledged = {
    souls: [],
    updates: [],
    exchanges: [],
    get total() {
      return this.souls.length + this.updates.length + this.exchanges.length;
    },
  };
  let inTheAir = 0;
  let isOver = false;
  const reached = new Map<number, () => void>();

  /** One call; undefined when the server did not live to answer it. */
  const call = async (actor: Actor, method: "post" | "put", address: string, body: object) => {
    inTheAir++;
    const answer = await actor[method](address, body).catch(() => undefined);
    if (!answer) {
      isOver = true;
      return undefined;
    }
    inTheAir--;
    expect([address, answer.status]).toEqual([address, 200]);
    return answer.body;
  };
  const noteProgress = () => {
    for (const [count, resolve] of reached) if (acknowledged.total >= count) resolve();
  };

  /** Has one soul of its own to update; chats in a room that it shares with seven others. */
  const write = async (actor: Actor, room: { soul_id: number }, name: string) => {
    const own = await call(actor, "post", "/api/souls", { title: "Version 0", content: name });
    for (let n = 1; !isOver && own; n++) {
      const title = `Version ${n}`;
      if (await call(actor, "put", `/api/soul/${own.id}`, { title, content: `${name} ${n}` })) {
        acknowledged.updates.push({ id: own.id, title });
      }
      const soul = { title: `${name} ${n}`, content: "I stay." };
      const published = await call(actor, "post", "/api/souls", soul);
      if (published) acknowledged.souls.push({ id: published.id, title: soul.title });
      const question = `${name} asks ${n}`;
      const chat = { ...room, session_token: SESSION, content: question };
      const answer = await call(actor, "post", "/api/chat", chat);
      if (answer) acknowledged.exchanges.push({ question, reply: answer.reply });
      noteProgress();
    }
  };

  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, (_, n) => openAccount(server, adminToken, `writer-${n}`)),
  );
  const writers = Promise.all(
    accounts.flatMap(({ actor, room }) =>
      Array.from({ length: WRITERS_EACH }, (_, n) => write(actor, room, `${actor.name}-${n}`)),
    ),
  );

  return {
    /** Resolves when the server has acknowledged so many writes; the writers go on. */
    until: (count: number) =>
      Promise.race([new Promise<void>((resolve) => reached.set(count, resolve)), writers]),
    /** After the server is gone. */
    async end() {
      await writers;
      return { acknowledged, inTheAir };
    },
    /** The same accounts find their rooms and souls at a server that was started anew. */
    async checkThrough(restarted: ServerProcess) {
      for (const { actor, room } of accounts) {
        const again = restarted.actor({ name: actor.name, apiKey: actor.apiKey });
        const { body } = await again.get(
          `/api/chat?soul_id=${room.soul_id}&session_token=${SESSION}&limit=500`,
        );
        const contents = body.messages.map(({ content }: { content: string }) => content);
        const own = acknowledged.exchanges.filter(({ question }) =>
          question.startsWith(actor.name),
        );
        expect(contents).toEqual(expect.arrayContaining(own.map(({ question }) => question)));
        const next = await again.post("/api/chat", {
          ...room,
          session_token: SESSION,
          content: `${actor.name} is back`,
        });
        expect(next.status).toBe(200);
      }
    },
  };
}

async function openAccount(server: ServerProcess, adminToken: string, username: string) {
  const { body } = await server.actor({ name: username }).post("/api/register", {
    username,
    password: "correct horse battery",
    email: `${username}@example.org`,
  });
  const operator = server.actor({ name: "the operator", apiKey: adminToken });
  await operator.post("/api/admin/pass", { username, tier: "vip", days: 1 });
  const actor = server.actor({ name: username, apiKey: body.api_key });
  const soul = await actor.post("/api/souls", { title: "Orla", content: "I keep the light." });
  return { actor, room: { soul_id: soul.body.id as number } };
}
