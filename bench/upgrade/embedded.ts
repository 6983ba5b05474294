import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createActor, PASSWORD, startServerProcess } from "@soul-hub/api/testing";
import { presentRelease } from "./releases.ts";

/** True if a response has everything of the former one. A release only adds fields. */
function contains(present: unknown, former: unknown): boolean {
  if (former === null || typeof former !== "object") return present === former;
  if (present === null || typeof present !== "object") return false;
  const fields = new Map(Object.entries(present));
  return Object.entries(former).every(([name, value]) => contains(fields.get(name), value));
}

/** Opens the data directory of the earlier release with this one. Returns the differences. */
export async function upgradeEmbedded(earlier: string): Promise<string[]> {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-embedded-"));
  try {
    const before = await startServerProcess(earlier, { DATA_DIR: directory });
    const account = { username: "ada", password: PASSWORD, email: "ada@example.org" };
    const guest = createActor({ name: "ada", baseUrl: () => before.url });
    const { body } = await guest.post("/api/register", account);
    const secrets = JSON.parse(await readFile(path.join(directory, "secrets.json"), "utf8"));
    const operator = before.actor({ name: "operator", apiKey: secrets.admin_token });
    await operator.post("/api/admin/pass", { username: "ada", tier: "pro", days: 1 });
    const ada = before.actor({ name: "ada", apiKey: body.api_key });
    const soul = await ada.post("/api/souls", { title: "Orla", content: "I keep the light." });
    const room = { soul_id: soul.body.id, session_token: "hall" };
    await ada.post("/api/chat", { ...room, content: "Is it dark?" });
    const reads = [
      "/api/me",
      "/api/my-chats",
      `/api/soul/${room.soul_id}`,
      `/api/chat?soul_id=${room.soul_id}&session_token=hall`,
    ];
    const read = async (actor: typeof ada) => {
      const answers: unknown[] = [];
      for (const address of reads) answers.push((await actor.get(address)).body);
      return answers;
    };
    const former = await read(ada);
    await before.stop();

    await using after = await startServerProcess(presentRelease, { DATA_DIR: directory });
    const same = after.actor({ name: "ada", apiKey: body.api_key });
    const present = await read(same);
    const { status } = await same.post("/api/chat", { ...room, content: "And now?" });
    console.log(`\nEmbedded database: ${reads.length} responses compared after the upgrade`);
    return [
      ...former.flatMap((answer, nth) =>
        contains(present[nth], answer) ? [] : [`${reads[nth]}: ${JSON.stringify(answer)}`],
      ),
      ...(status === 200 ? [] : [`a chat after the upgrade: ${status}`]),
    ];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
