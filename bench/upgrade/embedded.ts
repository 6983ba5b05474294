import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Actor, startServerProcess } from "@soul-hub/api/testing";
import { newMember, ok } from "../processes/member.ts";
import type { Scenario } from "../runner/bench.ts";
import { blame } from "../runner/measure.ts";
import { EARLIER, earlierOf, PRESENT } from "./earlier-release.ts";
import { presentRelease } from "./releases.ts";

/** True if a response has everything of the former one. A release only adds fields. */
function contains(present: unknown, former: unknown): boolean {
  if (former === null || typeof former !== "object") return present === former;
  if (present === null || typeof present !== "object") return false;
  const fields = new Map(Object.entries(present));
  return Object.entries(former).every(([name, value]) => contains(fields.get(name), value));
}

/** The present release opens the data directory of the earlier one. */
export const upgradeEmbedded: Scenario = {
  name: "embedded server",
  atMostSeconds: 300,
  async run(stage) {
    const { main } = await earlierOf(stage);
    const directory = await stage.newDirectory();
    const start = async (release: string) =>
      stage.use(await startServerProcess(release, { DATA_DIR: directory }));
    const { apiKey, room, reads, former } = await blame(EARLIER, async () => {
      const server = await start(main);
      const secrets = JSON.parse(await readFile(path.join(directory, "secrets.json"), "utf8"));
      const ada = await newMember(server.url, "ada", "pro", secrets.admin_token);
      const soul = await ok(
        ada.post("/api/souls", { title: "Orla", content: "I keep the light." }),
      );
      const room = { soul_id: soul.id, session_token: "hall" };
      await ok(ada.post("/api/chat", { ...room, content: "Is it dark?" }));
      const reads = [
        "/api/me",
        "/api/my-chats",
        `/api/soul/${room.soul_id}`,
        `/api/chat?soul_id=${room.soul_id}&session_token=hall`,
      ];
      const former = await readAll(ada, reads);
      await server.stop();
      return { apiKey: ada.apiKey, room, reads, former };
    });
    return blame(PRESENT, async () => {
      const server = await start(presentRelease);
      const ada = server.actor({ name: "ada", apiKey });
      const present = await readAll(ada, reads);
      await ok(ada.post("/api/chat", { ...room, content: "And now?" }));
      return {
        table: new Map([[PRESENT, { "responses compared": reads.length }]]),
        faults: former.flatMap((answer, nth) =>
          contains(present[nth], answer)
            ? []
            : [`${PRESENT}: ${reads[nth]}, before: ${JSON.stringify(answer)}`],
        ),
      };
    });
  },
};

async function readAll(actor: Actor, addresses: string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const address of addresses) answers.push(await ok(actor.get(address)));
  return answers;
}
