import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import type { ChatClient } from "../processes/chat-hub.ts";
import { actorOf, ok } from "../processes/member.ts";
import type { Stage } from "../runner/stage.ts";
import { randomFrom } from "../souls/random.ts";
import { english, textOf } from "../souls/soul-words.ts";

const compress = promisify(zstdCompress);

/** Words of one file of a soul: about 20 KB. */
const FILE_WORDS = 3_000;
const FILES = ["SOUL.md", "STYLE.md", "RULES.md"];
const VERSIONS = 10;
/** Words of a question. The provider answers with a short reply. */
const QUESTION_WORDS = 250;
const EXCHANGES_PER_VERSION = 4;

/**
 * Uses a hub as people do until its archive has about `bytes`: each client publishes souls of
 * three files, edits them, and chats in its room.
 */
export async function seedHub(
  stage: Stage,
  url: string,
  clients: ChatClient[],
  bytes: number,
): Promise<void> {
  let archived = 0;
  const fill = async ({ apiKey, ...room }: ChatClient, nth: number) => {
    const random = randomFrom(nth);
    const client = actorOf(url, `client ${nth}`, apiKey);
    const text = (words: number) => textOf(english, random, words);
    const folder = () => FILES.map((name) => `=== ${name} ===\n${text(FILE_WORDS)}`).join("\n\n");
    const send = async (method: "post" | "put", address: string, body: object) => {
      // An archive is compressed, too. Its texts are those that were sent.
      archived += (await compress(JSON.stringify(body))).length;
      return ok(client[method](address, body));
    };
    while (archived < bytes) {
      const soul = { title: text(4), content: folder(), domain: text(1) };
      const { id } = await send("post", "/api/souls", soul);
      for (let version = 1; version < VERSIONS && archived < bytes; version++) {
        await send("put", `/api/soul/${id}`, { content: folder() });
        for (let n = 0; n < stage.size(EXCHANGES_PER_VERSION, 1); n++) {
          await send("post", "/api/chat", { ...room, content: text(QUESTION_WORDS) });
        }
      }
    }
  };
  await Promise.all(clients.map(fill));
}
