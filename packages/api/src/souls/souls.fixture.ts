import type { Actor } from "../testing/actor.ts";
import type { DatabaseKind } from "../testing/test-database.ts";
import { startTestHub } from "../testing/test-hub.ts";

/** A hub with two members; ada owns what is published. */
export async function startPeopledHub(database: DatabaseKind) {
  const hub = await startTestHub({ database });
  const [ada, bob] = [await hub.member("ada"), await hub.member("bob")];
  const publish = async (fields: object = {}, owner: Actor = ada): Promise<number> => {
    const { body } = await owner.post("/api/souls", {
      title: "A soul",
      content: "# Be kind",
      ...fields,
    });
    if (!body.success) throw new Error(`no soul: ${body.message}`);
    return body.id;
  };
  const read = async (id: number, reader: Actor = ada) =>
    (await reader.get(`/api/soul/${id}`)).body.data;
  const { db } = hub.hub.database;
  return { ...hub, db, ada, bob, publish, read };
}

export type PeopledHub = Awaited<ReturnType<typeof startPeopledHub>>;

/** 0 to n-1. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
