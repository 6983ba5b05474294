import { readFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "@soul-hub/program";
import { z } from "zod";
import type { Environment } from "./env.ts";

/** The hub's address and the operator's token. Error messages name the source of each. */
export interface HubLocation {
  baseUrl: string;
  baseUrlSource: string;
  token: string;
  tokenSource: string;
}

/**
 * Finds the running hub and its ADMIN_TOKEN in the environment or in the DATA_DIR of an embedded
 * hub. The tool opens no database, because the running server holds it open.
 * @throws Failure `no_hub`, `no_token`
 */
export async function findHub(env: Environment): Promise<HubLocation> {
  const secrets = path.join(env.DATA_DIR, "secrets.json");
  const token = env.ADMIN_TOKEN ?? (await readJson(secrets, storedToken))?.admin_token;
  if (token === undefined) {
    throw new Failure(
      "no_token",
      `No ADMIN_TOKEN: the variable is not set and ${secrets} does not exist. Set ADMIN_TOKEN or DATA_DIR to the hub's value.`,
    );
  }
  const tokenSource = env.ADMIN_TOKEN ? "from the environment" : `in ${secrets}`;
  return { ...(await findAddress(env)), token, tokenSource };
}

async function findAddress(env: Environment) {
  if (env.BASE_URL) return { baseUrl: env.BASE_URL, baseUrlSource: "BASE_URL" };
  const file = path.join(env.DATA_DIR, "server.json");
  const running = await readJson(file, storedAddress);
  if (running) return { baseUrl: running.address, baseUrlSource: file };
  // A token from DATA_DIR belongs to a hub that writes its address to server.json. Without that
  // file, the hub is not running. Another server on the default port must not receive its token.
  if (env.ADMIN_TOKEN) {
    return { baseUrl: `http://localhost:${env.PORT}`, baseUrlSource: "the default" };
  }
  throw new Failure(
    "no_hub",
    `No hub runs on ${env.DATA_DIR}: a running hub writes its address to ${file}. Start it, or set BASE_URL to its address.`,
  );
}

const storedToken = z.object({ admin_token: z.string().regex(/^\S+$/) });
const storedAddress = z.object({ address: z.url({ protocol: /^https?$/ }) });

/**
 * Reads a JSON file; null if the file does not exist. Error messages omit the content, which may
 * include secrets.
 */
async function readJson<T>(file: string, shape: z.ZodType<T>): Promise<T | null> {
  try {
    return shape.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    const problem = code?.startsWith("E") ? `cannot be read (${code})` : "is not valid";
    throw new Failure("bad_environment", `DATA_DIR: ${file} ${problem}.`);
  }
}
