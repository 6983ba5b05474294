/**
 * Stops the server when npx stops. `pnpm start` loads this module before the server.
 * npx runs pnpm in a shell. On SIGTERM npm signals that shell, which exits without forwarding the
 * signal. The server would keep running, and keep its port and data directory.
 */
import { readFileSync } from "node:fs";

const POLL_MS = 100;

/** Reads a file of Linux's /proc. Without /proc it returns "", and no process is watched. */
function read(pid: number, file: "stat" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/**
 * Returns the id of the parent process. It follows the process name in `stat`; that name may
 * contain spaces and parentheses (proc(5)).
 */
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
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, POLL_MS);
  watch.unref();
  break;
}
