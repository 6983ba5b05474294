import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { CommandFailure } from "./command-failure.ts";
import type { Environment } from "./env.ts";

/** Where the hub is and how the operator shows themselves; each with where that was found. */
export interface HubPlace {
  baseUrl: string;
  baseUrlFrom: string;
  token: string;
  tokenFrom: string;
}

/**
 * Finds the running hub and its ADMIN_TOKEN: in the environment or, beside an embedded hub, in its
 * DATA_DIR. The tool opens no database: it works beside the server that has it open.
 * @throws CommandFailure `no_hub`, `no_token`
 */
export async function findHub(env: Environment): Promise<HubPlace> {
  const secrets = path.join(env.DATA_DIR, "secrets.json");
  const token = env.ADMIN_TOKEN ?? (await readJson(secrets, storedToken))?.admin_token;
  if (token === undefined) {
    throw new CommandFailure(
      "no_token",
      `No ADMIN_TOKEN: it is not set, and there is no ${secrets}. Set ADMIN_TOKEN to what the hub was started with, or DATA_DIR to the hub's.`,
    );
  }
  const tokenFrom = env.ADMIN_TOKEN ? "from the environment" : `in ${secrets}`;
  return { ...(await findAddress(env)), token, tokenFrom };
}

async function findAddress(env: Environment) {
  if (env.BASE_URL) return { baseUrl: env.BASE_URL, baseUrlFrom: "BASE_URL" };
  const file = path.join(env.DATA_DIR, "server.json");
  const left = await readJson(file, leftAddress);
  if (left) return { baseUrl: left.address, baseUrlFrom: file };
  // The server's own default. Not with a token out of DATA_DIR: that hub says where it is, and
  // whoever else listens on the port may not have its token.
  if (env.ADMIN_TOKEN) {
    return { baseUrl: `http://localhost:${env.PORT}`, baseUrlFrom: "the default" };
  }
  throw new CommandFailure(
    "no_hub",
    `No hub runs on ${env.DATA_DIR}: a running one leaves its address in ${file}. Start it, or set BASE_URL to where it is.`,
  );
}

const storedToken = z.object({ admin_token: z.string().regex(/^\S+$/) });
const leftAddress = z.object({ address: z.url({ protocol: /^https?$/ }) });

/** Null where there is no such file. What is damaged is not quoted: it may hold secrets. */
async function readJson<T>(file: string, shape: z.ZodType<T>): Promise<T | null> {
  try {
    return shape.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    const why = code?.startsWith("E") ? `can't be read (${code})` : "is damaged";
    throw new CommandFailure("bad_environment", `DATA_DIR: ${file} ${why}.`);
  }
}
