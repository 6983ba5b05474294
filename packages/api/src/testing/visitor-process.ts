import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { RoomName } from "../chat/rows/room-key.ts";
import type { Actor } from "./actor.ts";
import { joinAs } from "./live-visitor.ts";

interface Visit {
  url: string;
  apiKey: string;
  room: RoomName;
}

/** A subscribed client in a process of its own, which can be killed or paused. */
export async function startVisitorProcess(
  { url }: { url: string },
  { apiKey }: Actor,
  room: RoomName,
): Promise<ChildProcess & AsyncDisposable> {
  const visit: Visit = { url, apiKey, room };
  const child = spawn(process.execPath, [import.meta.filename, JSON.stringify(visit)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exit = once(child, "exit");
  const joined = once(child.stdout, "data");
  const first = await Promise.race([joined.then(() => "joined"), exit.then(() => "exit")]);
  if (first === "exit") throw new Error("The visitor's process ended before it was in the room.");
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
    },
  });
}

// The visitor's process runs this file as its program.
if (process.argv[1] === import.meta.filename) {
  // The visitor's process ends with the test run, which closes its standard input.
  process.stdin.on("end", () => process.exit()).resume();
  const { url, apiKey, room } = JSON.parse(process.argv[2] ?? "") as Visit;
  const visitor = joinAs({ url }, { apiKey, cookies: new Map() }, room);
  const told = setInterval(() => {
    if (!visitor.types.includes("sync")) return;
    clearInterval(told);
    process.stdout.write("joined\n");
  }, 10);
}
