import { freePort } from "@soul-hub/api/testing";
import { type Server, startHub, startServer } from "../processes/server.ts";
import { runStatement } from "../runner/bench-database.ts";
import type { Stage } from "../runner/stage.ts";
import { seedSouls } from "../souls/seed-souls.ts";

/** The contender that all ratios refer to. */
export const REFERENCE = "node:http + pg";

const peers = {
  [REFERENCE]: "./peers/node-http.peer.ts",
  "trpc-to-openapi": "./peers/trpc-to-openapi.peer.ts",
  "Fastify + SQL": "./peers/fastify.peer.ts",
};

const PRIVATE_SOULS = 20;
const roles = ["Coding", "Writing", "Other", "Education"];

export interface Contenders {
  databaseUrl: string;
  publicIds: number[];
  privateIds: number[];
  hub: Server;
  reference: Server;
  others: Server[];
}

/** Starts the hub and its peers on one database with souls. */
export const contendersOf = (stage: Stage): Promise<Contenders> =>
  stage.share("contenders", async () => {
    const databaseUrl = await stage.newDatabase();
    const publicCount = stage.size(1_000, 50);
    const seed = async () => {
      const hub = await startHub(stage, { DATABASE_URL: databaseUrl });
      await seedSouls(databaseUrl, publicCount + PRIVATE_SOULS, roles);
      await runStatement(sizeSouls(publicCount), databaseUrl);
      await runStatement("vacuum analyze souls", databaseUrl);
      return hub;
    };
    const start = async ([name, script]: [string, string]) => {
      const env = { DATABASE_URL: databaseUrl };
      return startServer(stage, name, new URL(script, import.meta.url), await freePort(), env);
    };
    const started = await Promise.all([seed(), ...Object.entries(peers).map(start)]);
    const [hub, reference, ...others] = started as [Server, Server, ...Server[]];
    const ids = Array.from({ length: publicCount + PRIVATE_SOULS }, (_, n) => n + 1);
    const [publicIds, privateIds] = [ids.slice(0, publicCount), ids.slice(publicCount)];
    return { databaseUrl, publicIds, privateIds, hub, reference, others };
  });

/** Gives all souls 1 to 3 KB. Every eighth is a folder of three files, and the last are private. */
const sizeSouls = (publicCount: number) => `
  update souls set is_public = (souls.id <= ${publicCount})::int, content = sized.content,
    file_type = case when sized.is_folder then 'full_soul_folder' else 'single_md' end
  from (select id, is_folder, case when is_folder
      then json_build_object('SOUL.md', text, 'STYLE.md', left(text, 400), 'RULES.md', title)::text
      else text end as content
    from (select id, title, id % 8 = 0 as is_folder,
        left(repeat(content || E'\\n\\n- ', 40), (1000 + id * 7919 % 2000)::int) as text
      from souls) as texts) as sized
  where sized.id = souls.id`;
