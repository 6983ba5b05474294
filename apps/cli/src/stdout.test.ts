import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ADMIN_TOKEN, startTestHub, type TestHub } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const main = path.join(import.meta.dirname, "main.ts");

/** The exit code and stderr of `hub …` in a shell, which decides where stdout goes. */
const inShell = (hub: TestHub, args: readonly string[], script: string) =>
  new Promise<[number, string]>((resolve) => {
    const env = { PATH: process.env.PATH ?? "", BASE_URL: hub.url, ADMIN_TOKEN };
    const words = ["-c", script, "sh", process.execPath, main, ...args];
    execFile("sh", words, { env }, (error, _stdout, stderr) =>
      resolve([error ? Number(error.code) : 0, stderr]),
    );
  });

describe("a command of the operator whose output can't be written", () => {
  let hub: TestHub;
  let folder: string;
  beforeAll(async () => {
    hub = await startTestHub();
    await hub.member("ada");
    folder = await mkdtemp(path.join(tmpdir(), "soul-hub-stdout-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await hub.close();
  });

  it
    .runIf(existsSync("/dev/full"))
    .each([
      [["--help"]],
      [["show", "ada"]],
      [["show", "ada", "--json"]],
      [["grant", "ada", "vip", "--days", "1"]],
      [["backup", "-"]],
    ])("fails and says so: %j", async (args) => {
    expect(await inShell(hub, args, '"$@" > /dev/full')).toEqual([
      1,
      expect.stringMatching(/^The output can't be written to stdout: ENOSPC: .+\.\n$/),
    ]);
  });

  it("fails if the disk takes only a part of it", async () => {
    const file = path.join(folder, "help.txt");
    const script = `ulimit -f 2; "$@" > ${file}`;
    expect(await inShell(hub, ["--help"], script)).toEqual([1, expect.stringContaining("EFBIG")]);
    expect((await readFile(file)).byteLength).toBeGreaterThan(0);
  });

  it("ends silently when its reader has enough", async () => {
    const script = '{ "$@"; echo $? >&2; } | true';
    expect(await inShell(hub, ["--help"], script)).toEqual([0, "0\n"]);
  });
});
