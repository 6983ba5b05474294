import { spawn } from "node:child_process";
import { once } from "node:events";
import { createActor } from "./actor.ts";

type ActorOptions = Omit<Parameters<typeof createActor>[0], "baseUrl">;

export interface ServerProcess extends AsyncDisposable {
  url: string;
  /** Somebody who calls it. */
  actor(options: ActorOptions): ReturnType<typeof createActor>;
  /** As the system ends a process when memory runs out: it learns nothing of it. */
  kill(): Promise<void>;
  /** As an operator stops it. Answers the exit code. */
  stop(): Promise<number | null>;
}

/** However a test run ends, no server outlives it: its standard input then ends, too. */
export const END_WITH_PARENT =
  "data:text/javascript,process.stdin.on('end', () => process.exit()).resume()";

/**
 * The real server in a process of its own, on a port of the system's choice. It answers already.
 * @param main the server's main.ts
 */
export async function startServerProcess(
  main: string,
  env: Record<string, string>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, main], {
    // Nothing of the surrounding environment decides what the server does.
    env: { PATH: process.env.PATH, PORT: "0", STARTER_SOULS: "off", LOG_LEVEL: "error", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
    return child.exitCode;
  };

  let said = "";
  const opened = new Promise<string>((resolve) => {
    const listen = (data: Buffer) => {
      said += data;
      const url = /is open at (\S+)/.exec(said)?.[1];
      if (url) resolve(url.replace("localhost", "127.0.0.1"));
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
  });
  const url = await Promise.race([opened, exited.then(() => undefined)]);
  if (!url) throw new Error(`The server did not start:\n${said}`);
  return {
    url,
    actor: (options) => createActor({ ...options, baseUrl: () => url }),
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}
