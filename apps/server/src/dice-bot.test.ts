import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { eventually, startOpenAiServer } from "@soul-hub/api/testing";
import { expect, it } from "vitest";
import { openAccount, publishSoul } from "./testing/open-account.fixture.ts";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

const BOT = fileURLToPath(new URL("../../../examples/dice-bot.ts", import.meta.url));

/** Starts the example bot as the README describes, in a process of its own. */
async function startBot(address: string, key: string) {
  const child = spawn(process.execPath, [BOT, address], {
    env: { PATH: process.env.PATH, HUB_KEY: key },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => {
      said += data;
    });
  }
  return {
    get said() {
      return said;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Starts a server with its own database, and the bot. Both are slow to start on a busy machine. */
const LONG_MS = 90_000;

it(
  "examples/dice-bot.ts rolls once per request, and the soul answers the roll",
  async () => {
    await using place = await makePlace();
    await using model = await startOpenAiServer({ reply: () => "So it falls." });
    await using server = await startServerProcess({
      ...place.env,
      TEXT_MODEL: "openai-compatible:test",
      OPENAI_COMPATIBLE_BASE_URL: model.url,
    });
    const adminToken = await place.adminToken();
    const ada = await openAccount(server, adminToken, "ada");
    const dice = await openAccount(server, adminToken, "dice");
    const room = { soul_id: await publishSoul(ada), session_token: "harbour" };
    const say = (content: string) => ada.post("/api/chat", { ...room, content });
    const lines = async () => {
      const address = `/api/chat?soul_id=${room.soul_id}&session_token=${room.session_token}`;
      const { body } = await ada.get(address);
      return body.messages as { role: string; sender_name: string; content: string }[];
    };

    // The bot does not answer messages from before it joined.
    await say("!roll");
    await using bot = await startBot(`${server.url}/chat/${room.soul_id}/harbour`, dice.apiKey);
    await eventually(() => expect(bot.said).toBe("Connected via socket.\n"));
    expect((await say(" !roll ")).status).toBe(200);
    await eventually(async () => expect((await lines()).length).toBe(6));
    await say("Thank you.");

    const [rolled, answered, thanked] = (await lines()).slice(4);
    expect(rolled).toMatchObject({ role: "user", sender_name: "dice" });
    expect(rolled?.content).toMatch(/^ada rolls a [1-6]\.$/);
    expect(answered).toMatchObject({ role: "assistant", content: "So it falls." });
    // The bot answers only `!roll`, and never its own messages.
    expect(thanked?.content).toBe("Thank you.");
    expect(await lines()).toHaveLength(8);
    expect(bot.said).toBe("Connected via socket.\n");
  },
  LONG_MS,
);
