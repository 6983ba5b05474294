import type { Actor } from "../testing/actor.ts";
import type { DatabaseKind } from "../testing/test-database.ts";
import { startTestHub } from "../testing/test-hub.ts";

/** Starts a hub with the members ada and bob. `publish` publishes for ada by default. */
export async function startPeopledHub(database: DatabaseKind) {
  const hub = await startTestHub({ database });
  const [ada, bob] = [await hub.member("ada"), await hub.member("bob")];
  const publish = async (fields: object = {}, owner: Actor = ada): Promise<number> => {
    const { body } = await owner.post("/api/souls", {
      title: "A soul",
      content: "# Be kind",
      ...fields,
    });
    if (!body.success)
      throw new Error(`the soul was refused: ${body.message} ${JSON.stringify(body.details)}`);
    return body.id;
  };
  const read = async (id: number, reader: Actor = ada) =>
    (await reader.get(`/api/soul/${id}`)).body.data;
  const { db } = hub.hub.database;
  return { ...hub, db, ada, bob, publish, read };
}

export type PeopledHub = Awaited<ReturnType<typeof startPeopledHub>>;

/** The numbers from 0 to n-1. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
