import type { Actor, ServerProcess } from "@soul-hub/api/testing";
import { expect } from "vitest";
import { openAccount, publishSoul } from "./open-account.fixture.ts";

/** The writes that the server has acknowledged. */
interface Acknowledged {
  souls: { id: number; title: string }[];
  /** Updates in the order of the responses. The updates of one soul are sequential. */
  updates: { id: number; title: string }[];
  exchanges: { question: string; reply: string }[];
  readonly total: number;
}

const ACCOUNTS = 4;
/** Number of writers per account: as many as the model calls that an account may run at a time. */
const WRITERS_EACH = 8;
const SESSION = "lobby";

/** Publishes, updates and chats with several accounts at once until the server is gone. */
export async function startWriting(server: ServerProcess, adminToken: string) {
  const acknowledged: Acknowledged = {
    souls: [],
    updates: [],
    exchanges: [],
    get total() {
      return this.souls.length + this.updates.length + this.exchanges.length;
    },
  };
  let unanswered = 0;
  let isOver = false;
  const reached = new Map<number, () => void>();

  /** Sends one call. Returns undefined if the connection failed. */
  const call = async (actor: Actor, method: "post" | "put", address: string, body: object) => {
    unanswered++;
    const answer = await actor[method](address, body).catch(() => undefined);
    if (!answer) {
      isOver = true;
      return undefined;
    }
    unanswered--;
    expect([address, answer.status]).toEqual([address, 200]);
    return answer.body;
  };
  const resolveWaiting = () => {
    for (const [count, resolve] of reached) if (acknowledged.total >= count) resolve();
  };

  /** Each writer updates its own soul, and chats in a room that it shares with seven others. */
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
      resolveWaiting();
    }
  };

  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, async (_, n) => {
      const actor = await openAccount(server, adminToken, `writer-${n}`);
      return { actor, room: { soul_id: await publishSoul(actor) } };
    }),
  );
  const writers = Promise.all(
    accounts.flatMap(({ actor, room }) =>
      Array.from({ length: WRITERS_EACH }, (_, n) => write(actor, room, `${actor.name}-${n}`)),
    ),
  );

  return {
    /** Resolves after `count` acknowledged writes; the writers continue. */
    until: (count: number) =>
      Promise.race([new Promise<void>((resolve) => reached.set(count, resolve)), writers]),
    acknowledgedSoFar: () => acknowledged.total,
    /** Awaits the writers and returns the results. Call it only after the server was killed. */
    async end() {
      await writers;
      return { acknowledged, unanswered };
    },
    /** Checks that the accounts find their rooms and souls on a restarted server. */
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
