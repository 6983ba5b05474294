import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import type { ChatClient } from "../chat/load/load-protocol.ts";
import { type Random, randomFrom } from "../souls/random.ts";
import { english, textWord } from "../souls/soul-words.ts";
import type { Call } from "./calls.ts";

const compress = promisify(zstdCompress);

/** Words of one file of a soul: about 20 KB. */
const FILE_WORDS = 3_000;
const FILES = ["SOUL.md", "STYLE.md", "RULES.md"];
const VERSIONS = 10;
/** Words of a question. The provider answers with a short reply. */
const QUESTION_WORDS = 250;
const EXCHANGES_PER_VERSION = 4;

const textOf = (random: Random, words: number): string =>
  Array.from({ length: words }, () => textWord(english, random)).join(" ");

/**
 * Uses a hub as people do until its archive has about `bytes`: each client publishes souls of
 * three files, edits them, and chats in its room.
 * @param send sends a call and returns the response's body
 */
export async function seedHub(
  clients: ChatClient[],
  bytes: number,
  send: (call: Call) => Promise<{ id: number }>,
): Promise<void> {
  let archived = 0;
  const fill = async ({ apiKey, ...room }: ChatClient, nth: number) => {
    const random = randomFrom(nth);
    const folder = () =>
      FILES.map((name) => `=== ${name} ===\n${textOf(random, FILE_WORDS)}`).join("\n\n");
    const put = async (call: Omit<Call, "apiKey">) => {
      // An archive is compressed, too. Its texts are those that were sent.
      archived += (await compress(JSON.stringify(call.body))).length;
      return send({ ...call, apiKey });
    };
    while (archived < bytes) {
      const title = textOf(random, 4);
      const { id } = await put({
        method: "POST",
        path: "/api/souls",
        body: { title, content: folder(), domain: textOf(random, 1) },
      });
      for (let version = 1; version < VERSIONS && archived < bytes; version++) {
        await put({ method: "PUT", path: `/api/soul/${id}`, body: { content: folder() } });
        for (let n = 0; n < EXCHANGES_PER_VERSION; n++) {
          const content = textOf(random, QUESTION_WORDS);
          await put({ method: "POST", path: "/api/chat", body: { ...room, content } });
        }
      }
    }
  };
  await Promise.all(clients.map(fill));
}
