import { ADMIN_TOKEN } from "../rest/contenders.ts";
import { randomFrom } from "../souls/random.ts";
import { english, textWord } from "../souls/soul-words.ts";

/** Words of a soul: about 6 KB, as a person writes one. */
const SOUL_WORDS = 1_000;
/** Edits of each soul before the measurement. */
const EDITS = 2;
/** Accounts register four at a time, because the hub hashes four passwords at a time. */
const AT_ONCE = 4;

export interface Writer {
  apiKey: string;
  /** The ids of the writer's souls. */
  souls: number[];
}

/** Registers writers. They publish `soulCount` souls together and edit each of them. */
export async function seedWriters(
  url: string,
  writerCount: number,
  soulCount: number,
): Promise<Writer[]> {
  const writers: Writer[] = [];
  while (writers.length < writerCount) {
    const names = Array.from({ length: AT_ONCE }, (_, n) => `writer-${writers.length + n}`);
    writers.push(...(await Promise.all(names.map((name) => register(url, name)))));
  }
  await Promise.all(
    writers.map((writer, nth) => publish(url, writer, { nth, of: writerCount, soulCount })),
  );
  return writers;
}

async function register(url: string, username: string): Promise<Writer> {
  const account = { username, password: "correct horse battery", email: "w@example.org" };
  const { api_key: apiKey } = await send(url, "POST", "/api/register", "", account);
  await send(url, "POST", "/api/admin/pass", ADMIN_TOKEN, { username, tier: "vip", days: 1 });
  return { apiKey, souls: [] };
}

async function publish(
  url: string,
  { apiKey, souls }: Writer,
  { nth, of, soulCount }: { nth: number; of: number; soulCount: number },
): Promise<void> {
  const random = randomFrom(nth);
  const text = (words: number) =>
    Array.from({ length: words }, () => textWord(english, random)).join(" ");
  for (let n = nth; n < soulCount; n += of) {
    const soul = { title: `Keeper ${n}`, content: text(SOUL_WORDS) };
    const { id } = await send(url, "POST", "/api/souls", apiKey, soul);
    souls.push(id);
    for (let edit = 0; edit < EDITS; edit++) {
      await send(url, "PUT", `/api/soul/${id}`, apiKey, { content: text(SOUL_WORDS) });
    }
  }
}

async function send(url: string, method: string, address: string, key: string, body: object) {
  const response = await fetch(url + address, {
    method,
    headers: {
      "content-type": "application/json",
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
  return (await response.json()) as { id: number; api_key: string };
}
