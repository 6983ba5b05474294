import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startServerProcess } from "@soul-hub/api/testing";

// Two attacks by one guest at one address, with default settings and on loopback only. A member at
// another address chats during each attack. An attack lasts a fixed time.

const ATTACKER = "127.0.0.1";
const MEMBER = "127.0.0.2";
const ATTACK_MS = 12_000;
const PROBE_EVERY_MS = 200;
const WIDE_BODY = `[${"1,".repeat(3 * 1024 * 1024 - 2)}1]`;
const WIDE_AT_ONCE = 12;
const HALF_SENT = 900;
const HALF_SENT_BYTES = 6 * 1024 * 1024;

interface Called {
  status: number;
  text: string;
  ms: number;
}

/**
 * Sends one HTTP request from a given local address. The returned status is 0 if the connection
 * fails.
 */
function call(
  url: URL,
  from: string,
  { key = "", body }: { key?: string; body?: string } = {},
): Promise<Called> {
  const start = performance.now();
  return new Promise((resolve) => {
    const headers = {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body ? { "content-type": "application/json" } : {}),
    };
    const method = body ? "POST" : "GET";
    const end = (status: number, text = "") =>
      resolve({ status, text, ms: performance.now() - start });
    const asked = request(url, { method, headers, localAddress: from, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (data: string) => {
        text += data;
      });
      answer.on("close", () => end(answer.statusCode ?? 0, text));
    });
    asked.on("error", () => end(0)).end(body);
  });
}

/** Posts JSON bodies of three million values without a pause. */
async function wideBodies(url: URL, isOver: () => boolean): Promise<void> {
  const lane = async () => {
    while (!isOver()) {
      const { status } = await call(new URL("/trpc/accounts.login", url), ATTACKER, {
        body: WIDE_BODY,
      });
      // The attacker waits after a refusal. Without the pause, the benchmark would measure the
      // attacker's own busy loop.
      if (status !== 200) await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: WIDE_AT_ONCE }, lane));
}

/**
 * Opens connections and withholds the last byte of each request body, so that the server waits for
 * it.
 */
async function halfSentBodies(url: URL, isOver: () => boolean): Promise<void> {
  const sockets: Socket[] = [];
  const head = [
    "POST /trpc/chat.send HTTP/1.1",
    `Host: ${url.host}`,
    "Content-Type: application/json",
    `Content-Length: ${HALF_SENT_BYTES}`,
    "\r\n",
  ].join("\r\n");
  const body = Buffer.alloc(HALF_SENT_BYTES - 1, "[");
  while (!isOver()) {
    if (sockets.length < HALF_SENT) {
      const target = { port: Number(url.port), host: url.hostname, localAddress: ATTACKER };
      const socket = connect(target, () => {
        socket.write(head);
        socket.write(body);
      });
      socket.on("error", () => {}).resume();
      sockets.push(socket);
    }
    await sleep(5);
  }
  for (const socket of sockets) socket.destroy();
}

async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

const attacks = { "wide bodies": wideBodies, "half-sent bodies": halfSentBodies };

async function measure(name: keyof typeof attacks, main: string): Promise<boolean> {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-attack-"));
  await using server = await startServerProcess(main, { DATA_DIR: directory });
  const url = new URL(server.url);
  const { admin_token } = JSON.parse(await readFile(path.join(directory, "secrets.json"), "utf8"));
  const post = (at: string, body: object, key = "") =>
    call(new URL(at, url), MEMBER, { key, body: JSON.stringify(body) });
  const account = { username: "ada", password: "correct horse battery", email: "a@example.org" };
  const key = JSON.parse((await post("/api/register", account)).text).api_key;
  await post("/api/admin/pass", { username: "ada", tier: "pro", days: 1 }, admin_token);
  const soul = JSON.parse(
    (await post("/api/souls", { title: "Orla", content: "I keep the light." }, key)).text,
  );
  const chat = () => {
    const line = { soul_id: soul.id, session_token: "hall", content: "Is it dark?" };
    return post("/api/chat", line, key);
  };
  for (let n = 0; n < 20; n++) await chat();
  await sleep(1_000);
  const resting = await memoryMb(server.pid);

  let isOver = false;
  let peak = resting;
  const probes: Record<string, Called[]> = { healthz: [], chat: [] };
  const attack = attacks[name](url, () => isOver);
  const probe = async (kind: string, ask: () => Promise<Called>) => {
    while (!isOver) {
      probes[kind]?.push(await ask());
      await sleep(PROBE_EVERY_MS);
    }
  };
  const watch = async () => {
    while (!isOver) {
      peak = Math.max(peak, await memoryMb(server.pid));
      await sleep(100);
    }
  };
  const all = [probe("healthz", () => call(new URL("/healthz", url), MEMBER)), probe("chat", chat)];
  const watching = watch();
  await sleep(ATTACK_MS);
  isOver = true;
  await Promise.all([...all, watching, attack]);
  await rm(directory, { recursive: true });
  const worst = Object.entries(probes).map(([kind, calls]) => {
    const times = calls.map(({ ms }) => ms).sort((a, b) => a - b);
    const failed = calls.filter(({ status }) => status !== 200).length;
    const [median, max] = [times[times.length >> 1] ?? 0, times.at(-1) ?? 0];
    console.log(
      `${name}: ${kind} median ${median.toFixed(0)} ms, max ${max.toFixed(0)} ms, ${failed} of ${calls.length} failed`,
    );
    return failed > 0 ? Number.POSITIVE_INFINITY : max;
  });
  console.log(`${name}: memory ${resting} MB at rest, ${peak} MB at most`);
  return Math.max(...worst) <= 500 && peak < 2 * resting;
}

/**
 * Runs both attacks.
 * @param args empty for this server, or the path of the main.ts of another server version
 */
export async function run([main]: string[]): Promise<boolean> {
  const own = path.resolve(import.meta.dirname, "../../apps/server/src/main.ts");
  let isMet = true;
  for (const name of ["wide bodies", "half-sent bodies"] as const) {
    isMet = (await measure(name, main ?? own)) && isMet;
  }
  return isMet;
}
