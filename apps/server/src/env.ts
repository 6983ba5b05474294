import { readFileSync } from "node:fs";
import path from "node:path";
import { defaultTiers, type ModelsConfig, parseTierTable, readHostAndPort } from "@soul-hub/api";
import { z } from "zod";

const repositoryRoot = path.resolve(import.meta.dirname, "../../..");

const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter(Boolean),
  );
const onOff = z.enum(["on", "off"]).transform((value) => value === "on");
const optional = z.string().min(1).optional();

/** fetch refuses an address with a user or password in it. */
const nearRpcUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/^\w+:\/\/[^/?#]*@/.test(text), "may not hold a user or password");
/** Written as addresses are compared with it (decisions §5, BYOK). */
const hostAndPort = z.string().transform((text, refinement) => {
  const read = readHostAndPort(text);
  if (read) return read;
  refinement.addIssue(`${text} is not host:port`);
  return z.NEVER;
});
const timeoutMs = z.coerce.number().int().min(1_000).max(600_000);
const ownTimeoutMs = timeoutMs.optional().meta({ examples: ["60000"] });
const maxOutputTokens = z.coerce
  .number()
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .meta({ examples: ["2000"] });
const cidr = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** The first seals, all of them open (decisions §5, Envelope). */
export const masterKeys = z
  .string()
  .regex(/^[\w-]+:[A-Za-z0-9+/]{43}=(,[\w-]+:[A-Za-z0-9+/]{43}=)*$/)
  .transform((text) =>
    text.split(",").map((item) => {
      const cut = item.indexOf(":");
      return { id: item.slice(0, cut), key: Buffer.from(item.slice(cut + 1), "base64") };
    }),
  )
  .refine(
    (keys) => new Set(keys.map(({ id }) => id)).size === keys.length,
    "has two keys with one id",
  )
  .refine(
    (keys) => new Set(keys.map(({ key }) => key.toString("base64"))).size === keys.length,
    "has the same key under two ids",
  );

const variables = z.object({
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3000)
    .meta({ examples: ["3000"] }),
  HOST: z
    .string()
    .default("127.0.0.1")
    .meta({ examples: ["0.0.0.0"] }),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional()
    .meta({ examples: ["https://hub.example.org"] }),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .meta({ examples: ["postgres://hub:secret@localhost:5432/hub"] }),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .meta({ examples: ["redis://localhost:6379"] }),
  DATA_DIR: z
    .string()
    .default(path.join(repositoryRoot, ".data"))
    .meta({ examples: ["/var/lib/soul-hub"] }),
  MASTER_KEYS: masterKeys
    .optional()
    .meta({ examples: ["k1:<32 bytes as base64, e.g. from `openssl rand -base64 32`>"] }),
  ADMIN_TOKEN: z
    .string()
    .min(16)
    .regex(/^\S+$/)
    .optional()
    .meta({ examples: ["at least 16 characters"] }),
  TEXT_MODEL: optional,
  VISION_MODEL: optional,
  PREMIUM_MODEL: optional,
  SUMMARY_MODEL: optional,
  MODEL_CALLS_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(256)
    .meta({ examples: ["256"] }),
  MODEL_TIMEOUT_MS: timeoutMs.default(60_000).meta({ examples: ["60000"] }),
  TEXT_MODEL_TIMEOUT_MS: ownTimeoutMs,
  VISION_MODEL_TIMEOUT_MS: ownTimeoutMs,
  PREMIUM_MODEL_TIMEOUT_MS: ownTimeoutMs,
  SUMMARY_MODEL_TIMEOUT_MS: ownTimeoutMs,
  TEXT_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  VISION_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  PREMIUM_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  SUMMARY_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  OPENAI_API_KEY: optional,
  ANTHROPIC_API_KEY: optional,
  GOOGLE_GENERATIVE_AI_API_KEY: optional,
  OPENAI_COMPATIBLE_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ examples: ["http://localhost:11434/v1"] }),
  OPENAI_COMPATIBLE_API_KEY: optional,
  NEAR_RPC_URLS: list
    .pipe(z.array(nearRpcUrl))
    .meta({ examples: ["https://rpc.mainnet.near.org,https://near.example.org"] }),
  BYOK_ALLOWED_HOSTS: list
    .pipe(z.array(hostAndPort))
    .meta({ examples: ["localhost:11434,models.example.org:443"] }),
  TRUST_PROXY: list.pipe(z.array(cidr)).meta({ examples: ["10.0.0.0/8,::1"] }),
  RATE_LIMITS: onOff.default(true).meta({ examples: ["off"] }),
  STARTER_SOULS: onOff.default(true).meta({ examples: ["off"] }),
  TIERS_FILE: optional.meta({ examples: ["./tiers.json"] }),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .meta({ examples: ["warn"] }),
});

/** A setting that can't be used: says which, and what it should look like. */
export class EnvironmentError extends Error {
  override name = "EnvironmentError";
}

const notFound = "can't be found: no such host";
const notWritable = "can't be read and written by this user";
const unreachable = "does not answer. Is PostgreSQL running there?";
const noRedis = "does not answer. Is Redis running there?";
const refuses = "refuses this user or password";
const notADirectory = "is not a directory, or lies in something that is none";

/** What the system's or PostgreSQL's error codes say of a setting that is well formed. */
const faults: Record<string, Record<string, string>> = {
  PORT: {
    EADDRINUSE: "is in use by another program",
    EACCES: "may not be opened by this user",
  },
  HOST: {
    ENOTFOUND: notFound,
    EAI_AGAIN: notFound,
    EADDRNOTAVAIL: "is not an address of this machine",
  },
  DATABASE_URL: {
    ECONNREFUSED: unreachable,
    ETIMEDOUT: unreachable,
    EHOSTUNREACH: unreachable,
    ENOTFOUND: notFound,
    EAI_AGAIN: notFound,
    "3D000": "has no such database",
    "28P01": refuses,
    "28000": refuses,
  },
  REDIS_URL: {
    ECONNREFUSED: noRedis,
    ETIMEDOUT: noRedis,
    EHOSTUNREACH: noRedis,
    ENOTFOUND: notFound,
    EAI_AGAIN: notFound,
    WRONGPASS: refuses,
    NOPERM: "does not let this user do what the hub needs",
    REDIS_TOO_OLD: "is too old: the hub needs Redis 7.0, or Valkey",
    NOT_REDIS: "does not answer as Redis does",
  },
  DATA_DIR: {
    ENOTDIR: notADirectory,
    EEXIST: notADirectory,
    EACCES: notWritable,
    EPERM: notWritable,
    EROFS: notWritable,
  },
};

/**
 * Waits for a step of the start that the given settings decide.
 * @param settings their names, and what may be shown of each: a password may not
 * @throws EnvironmentError where one of them is the reason that it failed
 */
export async function blame<T>(settings: Record<string, unknown>, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    for (const [name, shown] of Object.entries(settings)) {
      const fault = faults[name]?.[code];
      if (fault) throw new EnvironmentError(`${name}: ${shown} ${fault} (${code})`);
    }
    throw error;
  }
}

/**
 * Reads and checks the environment (decisions §8). The only reader of `process.env`.
 * @throws EnvironmentError naming the variable, with an example
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env) {
  // An empty variable is one that isn't set: compose files and CI can't leave them out.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const result = variables.safeParse(given);
  if (!result.success) {
    const lines = result.error.issues.map(({ path: [name], message }) => {
      return complaint(String(name), message);
    });
    throw new EnvironmentError(lines.join("\n"));
  }
  const env = result.data;
  for (const name of ["MASTER_KEYS", "ADMIN_TOKEN"] as const) {
    if (env.DATABASE_URL && !env[name]) {
      throw new EnvironmentError(complaint(name, "is required with DATABASE_URL"));
    }
  }
  return { ...env, tiers: readTiers(env.TIERS_FILE), models: modelsConfig(env) };
}

function complaint(name: string, message: string): string {
  const variable: z.ZodType | undefined = Object.entries(variables.shape).find(
    ([key]) => key === name,
  )?.[1];
  const [example] = (variable?.meta()?.examples as string[] | undefined) ?? [];
  return `${name}: ${message}${example ? `. Example: ${name}=${example}` : ""}`;
}

export type Environment = ReturnType<typeof readEnvironment>;

function readTiers(file: string | undefined) {
  if (!file) return defaultTiers;
  try {
    return parseTierTable(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new EnvironmentError(`TIERS_FILE: ${file} can't be used: ${reason}`);
  }
}

const modelsConfig = (env: z.infer<typeof variables>): ModelsConfig => ({
  text: env.TEXT_MODEL ?? null,
  vision: env.VISION_MODEL ?? null,
  premium: env.PREMIUM_MODEL ?? null,
  summary: env.SUMMARY_MODEL ?? null,
  keys: {
    openai: env.OPENAI_API_KEY,
    anthropic: env.ANTHROPIC_API_KEY,
    google: env.GOOGLE_GENERATIVE_AI_API_KEY,
  },
  openaiCompatible: {
    baseUrl: env.OPENAI_COMPATIBLE_BASE_URL,
    apiKey: env.OPENAI_COMPATIBLE_API_KEY,
  },
  timeoutMs: env.MODEL_TIMEOUT_MS,
  limits: {
    text: limitsOf(env.TEXT_MODEL_TIMEOUT_MS, env.TEXT_MODEL_MAX_OUTPUT_TOKENS),
    vision: limitsOf(env.VISION_MODEL_TIMEOUT_MS, env.VISION_MODEL_MAX_OUTPUT_TOKENS),
    premium: limitsOf(env.PREMIUM_MODEL_TIMEOUT_MS, env.PREMIUM_MODEL_MAX_OUTPUT_TOKENS),
    summary: limitsOf(env.SUMMARY_MODEL_TIMEOUT_MS, env.SUMMARY_MODEL_MAX_OUTPUT_TOKENS),
  },
});

const limitsOf = (timeoutMs: number | undefined, maxOutputTokens: number | undefined) => ({
  timeoutMs,
  maxOutputTokens,
});
