import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { type Actor, eventually, PASSWORD } from "@soul-hub/api/testing";
import { build } from "rolldown";
import { expect } from "vitest";
import bundleConfig from "../rolldown.config.ts";

let bundled: Promise<string> | undefined;

/** Bundles the tool as a release does, once for all tests of a worker. Returns the one file. */
export const bundle = (): Promise<string> => {
  bundled ??= (async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "soul-hub-bundle-"));
    process.once("exit", () => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "soul-hub.mjs");
    const cwd = path.join(import.meta.dirname, "..");
    await build({ ...bundleConfig, cwd, output: { ...bundleConfig.output, file } });
    return file;
  })();
  return bundled;
};

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  /** The text on stdin; empty by default. */
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Another program than the bundle. */
  main?: string;
  /** A shell's redirection of the output, such as `> /dev/full`. */
  to?: string;
}

export type Terminal = ReturnType<typeof startTerminal>;
export type Machine = Awaited<ReturnType<typeof startMachine>>;

const KEY = /shk_[0-9A-Za-z]{36}/;

/**
 * A person's machine: a home of their own, and the processes that run there.
 * @param hub the address of the hub; the environment contains only that
 */
export async function startMachine(hub: { url: string }) {
  const folder = await mkdtemp(path.join(tmpdir(), "soul-hub-machine-"));
  const main = await bundle();
  const open: Terminal[] = [];
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    XDG_CONFIG_HOME: path.join(folder, "config"),
    SOUL_HUB_URL: hub.url,
  };
  return {
    /** An empty folder of the person. */
    folder,
    configFile: path.join(folder, "config/soul-hub/config.json"),
    /** Runs `soul-hub …` without a terminal. */
    async run(
      args: readonly string[],
      { input = "", env = {}, cwd = folder, main: given, to = "" }: RunOptions = {},
    ): Promise<Ended> {
      const command = [process.execPath, given ?? main, ...args].map(quoted).join(" ");
      const child = spawn("sh", ["-c", `exec ${command} ${to}`], {
        env: { ...environment, ...env },
        cwd,
      });
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      const output = Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = await once(child, "close");
      const [stdout, stderr] = await output;
      expect(stdout + stderr).not.toMatch(KEY);
      return { code, stdout, stderr };
    },
    /** Runs `soul-hub …` at a terminal of its own. */
    async open(args: readonly string[], env: Record<string, string> = {}): Promise<Terminal> {
      const command = [process.execPath, main, ...args].map(quoted).join(" ");
      const terminal = startTerminal(command, folder, { ...environment, ...env });
      open.push(terminal);
      return terminal;
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of open) {
        await terminal.close();
        expect(terminal.text()).not.toMatch(KEY);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs a command at a pseudo-terminal, which `script` of util-linux provides. */
function startTerminal(command: string, cwd: string, env: Record<string, string>) {
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh" },
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  let shown = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (data) => {
    shown += data;
  });
  child.stdin.on("error", () => {});
  return {
    /** Everything that the terminal has received. */
    text: () => shown,
    /** Waits until the terminal shows the text after the match of the call before. */
    sees: (wanted: string | RegExp) =>
      eventually(() => {
        const rest = shown.slice(seen);
        const found = typeof wanted === "string" ? rest.indexOf(wanted) : rest.search(wanted);
        expect(found, `${wanted} in:\n${shown}`).not.toBe(-1);
        seen += found + 1;
      }),
    type: (keys: string) => void child.stdin.write(keys),
    exited,
    /** Ends a process that runs, and waits for its end. */
    async close() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await exited;
    },
  };
}

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";
export const ENTER = "\r";

/** Where a pseudo-terminal can be made. */
export const hasTerminals = process.platform === "linux";

/** Makes a key with all scopes, which `login --key-stdin` takes. */
export async function keyOf(actor: Actor): Promise<string> {
  const scopes = ["souls:read", "souls:write", "chat", "social", "account:read"];
  const { body } = await actor.post("/api/keys", { name: "terminal", scopes, password: PASSWORD });
  return body.api_key;
}

/** Starts a machine on which `soul-hub login` has stored the key of the account. */
export async function machineOf(hub: { url: string }, actor: Actor): Promise<Machine> {
  const machine = await startMachine(hub);
  const key = await keyOf(actor);
  const { code, stderr } = await machine.run(["login", "--key-stdin"], { input: `${key}\n` });
  expect([code, stderr]).toEqual([0, ""]);
  return machine;
}

/** The permissions of a file or folder, such as 0o600. */
export const modeOf = async (place: string) => (await stat(place)).mode & 0o777;
