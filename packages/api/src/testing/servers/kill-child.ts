import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Kills a child process with SIGKILL and awaits its exit. Does nothing if it has exited. */
export async function killChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
