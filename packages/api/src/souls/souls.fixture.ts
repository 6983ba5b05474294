import { createApiKey } from "../accounts/api-key.ts";
import { type Actor, createActor } from "../testing/actor.ts";
import type { DatabaseKind } from "../testing/test-database.ts";
import { PASSWORD, startTestHub } from "../testing/test-hub.ts";

export type Who = keyof Awaited<ReturnType<typeof startPeopledHub>>["people"];

/** A hub with everybody that the status tables ask as; `the owner` owns what is published. */
export async function startPeopledHub(database: DatabaseKind) {
  const hub = await startTestHub({ database });
  const [ada, bob] = [await hub.member("ada"), await hub.member("bob")];
  const browser = hub.guest();
  await browser.post("/api/login", { username: "ada", password: PASSWORD, remember: true });
  const impostor = createActor({
    name: "a wrong key",
    apiKey: createApiKey(),
    baseUrl: () => hub.url,
  });
  const people = {
    nobody: hub.guest(),
    "a wrong key": impostor,
    "the owner's browser": browser,
    "the owner": ada,
    "another member": bob,
  };
  const publish = async (fields: object = {}, owner: Actor = ada): Promise<number> => {
    const { body } = await owner.post("/api/souls", {
      title: "A soul",
      content: "# Be kind",
      ...fields,
    });
    if (!body.success) throw new Error(`no soul: ${body.message}`);
    return body.id;
  };
  const souls = {
    public: await publish(),
    private: await publish({ is_public: 0 }),
    "no such": 9_007_199_254_740_991,
  };
  const read = async (id: number, reader: Actor = ada) =>
    (await reader.get(`/api/soul/${id}`)).body.data;
  const { db } = hub.hub.database;
  return { ...hub, db, people, ada, bob, publish, souls, read };
}

export type PeopledHub = Awaited<ReturnType<typeof startPeopledHub>>;

/** 0 to n-1. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
