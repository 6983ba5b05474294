/**
 * Loaded before the server by `pnpm start`. npx puts a shell between npm and pnpm: npm passes
 * SIGTERM to that shell, the shell dies without passing it on, and the server would live on
 * unseen and keep its port and its data directory. So where npx started us, we stop with it.
 */
import { readFileSync } from "node:fs";

const LOOK_MS = 100;

/** Reads Linux's process table; where there is none, nobody is found and nothing is watched. */
function read(pid: number, file: "stat" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The name of a process, in parentheses, may itself hold spaces; its state and parent follow. */
function parentOf(pid: number): number {
  const stat = read(pid, "stat");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

for (let pid = process.ppid, npm = parentOf(pid); npm > 0; pid = npm, npm = parentOf(pid)) {
  if (!read(npm, "cmdline").startsWith("npm exec ")) continue;
  const shell = pid;
  const parent = npm;
  const watch = setInterval(() => {
    if (parentOf(shell) === parent) return;
    // A second signal would be read as impatience.
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_MS);
  watch.unref();
  break;
}
