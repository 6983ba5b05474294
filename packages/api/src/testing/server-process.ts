import { spawn } from "node:child_process";
import { once } from "node:events";
import { createActor } from "./actor.ts";

type ActorOptions = Omit<Parameters<typeof createActor>[0], "baseUrl">;

export interface ServerProcess extends AsyncDisposable {
  url: string;
  pid: number;
  /** What the server printed when it had started. */
  greeting: string;
  /** Creates an actor whose requests go to this server. */
  actor(options: ActorOptions): ReturnType<typeof createActor>;
  /** Kills the process with SIGKILL, as the system does when memory runs out. */
  kill(): Promise<void>;
  /** Resolves to the exit code when the process has ended. */
  exited: Promise<number | null>;
  /** Stops the server with SIGTERM, as an operator does. Returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * A module that ends the server process when its standard input closes. The input closes when the
 * test run ends in any way, so no server outlives the run.
 */
export const END_WITH_PARENT =
  "data:text/javascript,process.stdin.on('end', () => process.exit()).resume()";

/**
 * Starts the real server as a process on a free port. Resolves once it answers.
 * @param main the server's main.ts
 * @param under a command that runs the server, such as strace; none by default
 * @param given arguments of the program; none by default
 */
export async function startServerProcess(
  main: string,
  env: Record<string, string>,
  under: string[] = [],
  given: string[] = [],
): Promise<ServerProcess> {
  const node = [process.execPath, "--import", END_WITH_PARENT, main, ...given];
  const [program = "", ...args] = [...under, ...node];
  const child = spawn(program, args, {
    // The server does not inherit the environment, so that only these variables configure it.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: "0",
      STARTER_SOULS: "off",
      LOG_LEVEL: "error",
      // Without a model, the server would ask an Ollama of this machine.
      TEXT_MODEL: "offline",
      // Creating a database takes long where each of its files is flushed.
      DATA_SYNC: "off",
      // A scheduled backup would refuse the backup of a test.
      BACKUP_EVERY_HOURS: "0",
      ...env,
    },
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
    pid: child.pid ?? 0,
    greeting: said,
    exited: exited.then(() => child.exitCode),
    actor: (options) => createActor({ ...options, baseUrl: () => url }),
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}
