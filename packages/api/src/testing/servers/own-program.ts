import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A program that runs for one test. */
export interface OwnProgram extends AsyncDisposable {
  /** Starts the program again. Resolves once it answers. */
  start(): Promise<void>;
  /** Ends the program and awaits its exit. Does nothing if it has exited. */
  end(): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

interface ProgramOptions extends Pick<SpawnOptions, "uid" | "gid"> {
  /** The program and its arguments. */
  command: readonly string[];
  /** Reports whether the program answers. A failure means that it does not answer yet. */
  answers: () => Promise<boolean>;
  /** The signal of {@link OwnProgram.end}: by default SIGKILL, as when memory runs out. */
  endsBy?: NodeJS.Signals;
  /** A directory that is removed on disposal. */
  directory?: string;
}

/** Starts a program, and resolves once it answers. */
export async function startProgram(options: ProgramOptions): Promise<OwnProgram> {
  const { command, answers, endsBy = "SIGKILL", directory, ...ids } = options;
  const [program = "", ...args] = command;
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(program, args, { ...ids, stdio: "ignore" });
    while (!(await answers().catch(() => false))) await sleep(20);
  };
  const end = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill(endsBy);
    await exit;
  };
  await start();
  return {
    start,
    end,
    signal: (name) => void child?.kill(name),
    async [Symbol.asyncDispose]() {
      await end();
      if (directory) await rm(directory, { recursive: true });
    },
  };
}

/** Reports whether a port accepts connections, and whether its answer to `question` fits. */
export async function answersOn(
  port: number,
  question?: { text: string; answer: RegExp },
): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    if (!question) return true;
    socket.write(question.text);
    const [answer] = await once(socket, "data");
    return question.answer.test(String(answer));
  } finally {
    socket.destroy();
  }
}
