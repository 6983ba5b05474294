import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { eventually } from "@soul-hub/api/testing";

/** The steps of the traced server. Paths are absolute. */
export type Step =
  | { did: "request" | "response"; line: string; path?: undefined }
  | { did: "create" | "write" | "flush" | "rename"; path: string };

const CALLS = "read,write,writev,pwrite64,pwritev,fsync,fdatasync,openat,rename";
/** Number of characters of a request or response in the log: more than its first line has. */
const TEXT_CHARS = 60;

/**
 * Returns the command that runs a program under strace, with one log per thread in `directory`. The
 * program is the direct child and receives its own signals.
 * @param more further options of strace
 */
export const straceInto = (strace: string, directory: string, ...more: string[]): string[] => [
  ...[strace, "-D", "-ff", "-q", "-y", "-ttt", "-s", String(TEXT_CHARS), "-e", `trace=${CALLS}`],
  ...["-o", path.join(directory, "thread"), ...more],
];

/** The patterns of calls in the log. A failed call matches none. */
const patterns: [did: Step["did"], call: RegExp][] = [
  ["request", /^read\(\d+<socket:[^>]*>, "((?:GET|POST|PUT|DELETE) \/\S*) HTTP/],
  ["response", /^writev?\(\d+<socket:[^>]*>, .*?"(HTTP\/1\.1 \d+)/],
  ["write", /^pwrite(?:64|v)\(\d+<(\/[^>]*)>/],
  ["flush", /^f(?:data)?sync\(\d+<(\/[^>]*)>\) += 0$/],
  ["rename", /^rename\("[^"]*", "([^"]*)"\) += 0$/],
  ["create", /^openat\(.*O_CREAT.*\) += \d+<(\/[^>]*)>$/],
];

/** Reads the steps of all threads after the program's end, in the order in which they began. */
export async function readSteps(directory: string): Promise<Step[]> {
  const logs = await eventually(async () => {
    const files = await readdir(directory);
    const all = files.map((file) => readFile(path.join(directory, file), "utf8"));
    const read = await Promise.all(all);
    // strace still writes for a moment after the program's end.
    if (!read.every((log) => log.includes("+++ "))) throw new Error("strace has not ended.");
    return read;
  });
  return logs
    .flatMap((log) => log.split("\n"))
    .flatMap((line) => {
      const space = line.indexOf(" ");
      const step = readStep(line.slice(space + 1));
      return step ? [{ at: Number(line.slice(0, space)), step }] : [];
    })
    .sort((a, b) => a.at - b.at)
    .map(({ step }) => step);
}

function readStep(call: string): Step | null {
  for (const [did, pattern] of patterns) {
    const found = pattern.exec(call)?.[1];
    if (found === undefined) continue;
    return did === "request" || did === "response" ? { did, line: found } : { did, path: found };
  }
  return null;
}
