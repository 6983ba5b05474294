import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "@soul-hub/program";
import type { Environment } from "./env.ts";

/** What `login` keeps: one hub and the key for it. */
export interface Config {
  /** The origin of the hub, such as `https://hub.example.org`. */
  hub: string;
  key: string;
  /** True if `login` made the key, so that `logout` revokes it. */
  is_made: boolean;
}

/** The hub of a command, and the key for it. Without a key the caller is a guest. */
export interface Target {
  url: string;
  key: string | undefined;
}

/** Where a hub listens by default. */
const DEFAULT_HUB = "http://localhost:3000";
const KEY = /^shk_[0-9A-Za-z]{36}$/;
/** For the owner alone: the file holds a key. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

const fileOf = ({ configFolder }: Environment) => path.join(configFolder, "config.json");

/** @throws Failure `bad_environment` for a file that the tool did not write */
export async function readConfig(env: Environment): Promise<Config | null> {
  const file = fileOf(env);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new Failure("bad_environment", `${file} cannot be read.`, { cause: error });
  });
  if (text === null) return null;
  try {
    const { hub, key, is_made } = JSON.parse(text);
    return { hub: originOf(hub), key: checkedKey(key), is_made: is_made === true };
  } catch (cause) {
    const message = `${file} is damaged. Delete it, and run \`soul-hub login\`.`;
    throw new Failure("bad_environment", message, { cause });
  }
}

/** Writes the configuration whole, or leaves the former one. */
export async function writeConfig(env: Environment, config: Config): Promise<void> {
  await mkdir(env.configFolder, { recursive: true, mode: FOLDER_MODE });
  await chmod(env.configFolder, FOLDER_MODE);
  const draft = `${fileOf(env)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: FILE_MODE, flag: "wx" });
  await rename(draft, fileOf(env));
}

export const removeConfig = (env: Environment): Promise<void> => rm(fileOf(env), { force: true });

/** The hub of the environment or of the configuration. A stored key goes to its own hub only. */
export function targetOf(env: Environment, config: Config | null): Target {
  const url = env.hubUrl ? originOf(env.hubUrl) : (config?.hub ?? DEFAULT_HUB);
  if (env.key) return { url, key: checkedKey(env.key) };
  return { url, key: config?.hub === url ? config.key : undefined };
}

/** @throws Failure `bad_arguments` */
export function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "https:" || url?.protocol === "http:") return url.origin;
  throw new Failure("bad_arguments", `${address} is no address such as https://hub.example.org.`);
}

/** The message does not contain the text, which may be a key with a typing error. */
export function checkedKey(text: string): string {
  if (KEY.test(text)) return text;
  throw new Failure("bad_arguments", "The key must be shk_ and 36 letters and digits.");
}
