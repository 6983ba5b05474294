import { type Actor, openRoom, say } from "@soul-hub/api/testing";
import { actorOf, newMember, ok } from "../processes/member.ts";
import { startHub } from "../processes/server.ts";
import type { Scenario } from "../runner/bench.ts";
import { blame } from "../runner/measure.ts";
import { EARLIER, earlierOf, PRESENT } from "./releases.ts";

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
    const main = await earlierOf(stage);
    const settings = { DATA_DIR: await stage.newDataDirectory(), DATA_SYNC: "off" };
    const earlier = await startHub(stage, settings, { name: EARLIER, main });
    const { apiKey, room, reads, former } = await blame(EARLIER, async () => {
      const ada = await newMember(earlier.url, "ada");
      const room = await openRoom(ada);
      await ok(say(ada, room, "Is it dark?"));
      const { soul_id, session_token } = room;
      const reads = [
        "/api/me",
        "/api/my-chats",
        `/api/soul/${soul_id}`,
        `/api/chat?soul_id=${soul_id}&session_token=${session_token}`,
      ];
      const former = await readAll(ada, reads);
      await earlier.stop();
      return { apiKey: ada.apiKey, room, reads, former };
    });
    const hub = await startHub(stage, settings, { name: PRESENT });
    return blame(PRESENT, async () => {
      const ada = actorOf(hub.url, "ada", apiKey);
      const present = await readAll(ada, reads);
      await ok(say(ada, room, "And now?"));
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
