import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { eventually, PASSWORD, startOpenAiServer } from "@soul-hub/api/testing";
import { expect, it } from "vitest";
import { makePlace } from "./server-place.fixture.ts";
import { startServerProcess } from "./server-process.fixture.ts";

const BOT = fileURLToPath(new URL("../../../examples/dice-bot.ts", import.meta.url));

/** The example as a reader of the README starts it, in a process of its own. */
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

/** A server with a database of its own, and the bot: two processes that start on a busy machine. */
const LONG_MS = 90_000;

it(
  "examples/dice-bot.ts rolls once for who asks, and the soul answers it",
  async () => {
    await using place = await makePlace("pglite");
    await using model = await startOpenAiServer({ reply: () => "So it falls." });
    await using server = await startServerProcess({
      ...place.env,
      TEXT_MODEL: "openai-compatible:test",
      OPENAI_COMPATIBLE_BASE_URL: model.url,
    });
    const operator = server.actor({ name: "the operator", apiKey: await place.adminToken() });
    const join = async (username: string) => {
      const account = { username, password: PASSWORD, email: `${username}@example.org` };
      const { body } = await server.actor({ name: username }).post("/api/register", account);
      await operator.post("/api/admin/pass", { username, tier: "vip", days: 1 });
      return server.actor({ name: username, apiKey: body.api_key });
    };
    const [ada, dice] = [await join("ada"), await join("dice")];
    const soul = await ada.post("/api/souls", { title: "Orla", content: "I keep the light." });
    const room = { soul_id: soul.body.id, session_token: "harbour" };
    const say = (content: string) => ada.post("/api/chat", { ...room, content });
    const lines = async () => {
      const address = `/api/chat?soul_id=${room.soul_id}&session_token=${room.session_token}`;
      const { body } = await ada.get(address);
      return body.messages as { role: string; sender_name: string; content: string }[];
    };

    // What was said before it came is not answered.
    await say("!roll");
    await using bot = await startBot(`${server.url}/chat/${room.soul_id}/harbour`, dice.apiKey);
    await eventually(() => expect(bot.said).toBe("Listening by socket.\n"));
    expect((await say(" !roll ")).status).toBe(200);
    await eventually(async () => expect((await lines()).length).toBe(6));
    await say("Thank you.");

    const [rolled, answered, thanked] = (await lines()).slice(4);
    expect(rolled).toMatchObject({ role: "user", sender_name: "dice" });
    expect(rolled?.content).toMatch(/^ada rolls a [1-6]\.$/);
    expect(answered).toMatchObject({ role: "assistant", content: "So it falls." });
    // It doesn't answer itself, nor what is no roll.
    expect(thanked?.content).toBe("Thank you.");
    expect(await lines()).toHaveLength(8);
    expect(bot.said).toBe("Listening by socket.\n");
  },
  LONG_MS,
);
