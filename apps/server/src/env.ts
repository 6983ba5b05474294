import { readFileSync } from "node:fs";
import path from "node:path";
import { defaultTiers, type ModelsConfig, parseTierTable, readHostAndPort } from "@soul-hub/api";
import { adminToken, databaseUrl, EnvironmentError, masterKeys } from "@soul-hub/api/operator";
import { z } from "zod";

const repositoryRoot = path.resolve(import.meta.dirname, "../../..");

const split = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
const list = z.string().default("").transform(split);
const onOff = z.enum(["on", "off"]).transform((value) => value === "on");
const optional = z.string().optional();
const httpUrl = z.url({ protocol: /^https?$/ });
const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** A URL without a user or password, because fetch refuses URLs that contain them. */
const nearRpcUrl = httpUrl.refine(
  (text) => !/^\w+:\/\/[^/?#]*@/.test(text),
  "may not hold a user or password",
);
/**
 * A normalized host and port, because the hub compares the addresses of providers with it
 * (decisions §5, BYOK).
 */
const origin = z
  .url({ protocol: /^https?$/ })
  .refine((text) => new URL(text).origin === text, "must be an origin, without a path");
const hostAndPort = z.string().transform((text, refinement) => {
  const read = readHostAndPort(text);
  if (read) return read;
  refinement.addIssue(`${text} is not host:port`);
  return z.NEVER;
});
/** A wallet that signs by redirect: its name, a space, and the URL of its page for signing (0069). */
const webWallet = z.string().transform((text, refinement) => {
  const [, name, url] = /^(\S.{0,39}) (\S+)$/.exec(text) ?? [];
  if (name && httpUrl.safeParse(url).success) return { name, url: url ?? "" };
  refinement.addIssue(`${text} is not a name and a URL`);
  return z.NEVER;
});
const contact = z.url({ protocol: /^(?:https|mailto|tel)$/ }).regex(/^\S+$/);
const smtpUrl = z
  .url({ protocol: /^smtps?$/ })
  .refine((text) => !/[?#]/.test(text), "may not hold options");
/** `hub@example.org` or `Soul Hub <hub@example.org>`. */
const mailAddress = z
  .string()
  .refine(
    (text) => z.email().safeParse(/^[^<>\r\n]*<([^<>]*)>$/.exec(text)?.[1] ?? text).success,
    "must be an address",
  );
const timeoutMs = wholeNumber(1_000, 600_000);
const routeTimeoutMs = timeoutMs.optional().meta({ examples: ["60000"] });
const maxOutputTokens = wholeNumber(1, 1_000_000)
  .optional()
  .meta({ examples: ["2000"] });
/** A retention time, of at most a hundred years; 0 keeps the rows (0035). */
const days = wholeNumber(0, 36_500);
const cidr = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/**
 * The environment variables. If a variable has an example, the message about an invalid value
 * contains it.
 */
const variables = z.object({
  PORT: wholeNumber(0, 65_535)
    .default(3000)
    .meta({ examples: ["3000"] }),
  HOST: z.string().default("127.0.0.1"),
  BASE_URL: httpUrl
    .transform((url) => url.replace(/\/+$/, ""))
    .optional()
    .meta({ examples: ["https://hub.example.org"] }),
  DATABASE_URL: databaseUrl
    .optional()
    .meta({ examples: ["postgres://hub:secret@localhost:5432/hub"] }),
  DATABASE_POOLER: z
    .enum(["off", "transaction", "prepared"])
    .default("off")
    .meta({ examples: ["transaction"] }),
  DATABASE_DIRECT_URL: databaseUrl
    .optional()
    .meta({ examples: ["postgres://hub:secret@localhost:5432/hub"] }),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .meta({ examples: ["redis://localhost:6379"] }),
  DATA_DIR: z.string().default(path.join(repositoryRoot, ".data")),
  DISK_RESERVE_MB: wholeNumber(0, 1_000_000)
    .default(256)
    .meta({ examples: ["256"] }),
  STORAGE_MB_PER_ACCOUNT: wholeNumber(0, 1_000_000)
    .default(256)
    .meta({ examples: ["256"] }),
  AUTO_LIMIT: wholeNumber(0, 10_000)
    .default(0)
    .meta({ examples: ["5"] }),
  BACKUP_DIR: optional,
  BACKUP_EVERY_HOURS: wholeNumber(0, 8_760)
    .default(24)
    .meta({ examples: ["24"] }),
  BACKUP_KEEP: wholeNumber(1, 10_000)
    .default(7)
    .meta({ examples: ["7"] }),
  DATA_SYNC: onOff.default(true).meta({ examples: ["off"] }),
  MASTER_KEYS: masterKeys
    .optional()
    .meta({ examples: ["k1:<32 bytes as base64, e.g. from `openssl rand -base64 32`>"] }),
  ADMIN_TOKEN: adminToken.optional().meta({ examples: ["at least 16 characters"] }),
  TEXT_MODEL: optional,
  VISION_MODEL: optional,
  PREMIUM_MODEL: optional,
  SUMMARY_MODEL: optional,
  MODEL_CALLS_AT_ONCE: wholeNumber(1, 100_000)
    .default(256)
    .meta({ examples: ["256"] }),
  MODEL_TIMEOUT_MS: timeoutMs.default(60_000).meta({ examples: ["60000"] }),
  TEXT_MODEL_TIMEOUT_MS: routeTimeoutMs,
  VISION_MODEL_TIMEOUT_MS: routeTimeoutMs,
  PREMIUM_MODEL_TIMEOUT_MS: routeTimeoutMs,
  SUMMARY_MODEL_TIMEOUT_MS: routeTimeoutMs,
  TEXT_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  VISION_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  PREMIUM_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  SUMMARY_MODEL_MAX_OUTPUT_TOKENS: maxOutputTokens,
  OPENAI_API_KEY: optional,
  ANTHROPIC_API_KEY: optional,
  GOOGLE_GENERATIVE_AI_API_KEY: optional,
  OPENAI_COMPATIBLE_BASE_URL: httpUrl.optional().meta({ examples: ["http://localhost:11434/v1"] }),
  OPENAI_COMPATIBLE_API_KEY: optional,
  NEAR_RPC_URLS: list
    .pipe(z.array(nearRpcUrl))
    .meta({ examples: ["https://rpc.mainnet.near.org,https://near.example.org"] }),
  BYOK_ALLOWED_HOSTS: list
    .pipe(z.array(hostAndPort))
    .meta({ examples: ["localhost:11434,models.example.org:443"] }),
  SMTP_URL: smtpUrl.optional().meta({ examples: ["smtps://hub:secret@mail.example.org"] }),
  MAIL_FROM: mailAddress.optional().meta({ examples: ["Soul Hub <hub@example.org>"] }),
  EMAIL_VERIFICATION: z
    .enum(["off", "optional", "required"])
    .default("optional")
    .meta({ examples: ["required"] }),
  MCP_ALLOWED_ORIGINS: list
    .pipe(z.array(origin))
    .meta({ examples: ["https://inspector.example.org"] }),
  WALLETS: z
    .string()
    .default("MyNearWallet https://app.mynearwallet.com/sign-message")
    .transform((text) => (text === "off" ? [] : split(text)))
    .pipe(z.array(webWallet))
    .meta({ examples: ["MyNearWallet https://testnet.mynearwallet.com/sign-message"] }),
  SECURITY_CONTACT: contact.optional().meta({ examples: ["mailto:security@example.org"] }),
  REGISTRATION: z
    .enum(["open", "invite", "closed"])
    .default("open")
    .meta({ examples: ["invite"] }),
  GUESTS: onOff.default(true).meta({ examples: ["off"] }),
  CONTACT: contact.optional().meta({ examples: ["mailto:operator@example.org"] }),
  TERMS_URL: httpUrl.optional().meta({ examples: ["https://hub.example.org/terms"] }),
  PRIVACY_URL: httpUrl.optional().meta({ examples: ["https://hub.example.org/privacy"] }),
  TRUST_PROXY: list.pipe(z.array(cidr)).meta({ examples: ["10.0.0.0/8,::1"] }),
  MAX_CONNECTIONS: wholeNumber(16, 1_000_000)
    .default(10_000)
    .meta({ examples: ["10000"] }),
  RETAIN_ROOMS: days.default(0).meta({ examples: ["365"] }),
  RETAIN_GUEST_ROOMS: days.default(0).meta({ examples: ["30"] }),
  DELETION_GRACE_DAYS: wholeNumber(0, 90)
    .default(14)
    .meta({ examples: ["14"] }),
  RETAIN_USAGE: days.default(90).meta({ examples: ["90"] }),
  RETAIN_REPORTS: days.default(180).meta({ examples: ["180"] }),
  RETAIN_AUDIT: days.default(400).meta({ examples: ["400"] }),
  RATE_LIMITS: onOff.default(true).meta({ examples: ["off"] }),
  CDN_CACHE: onOff.default(false).meta({ examples: ["on"] }),
  STARTER_SOULS: onOff.default(true).meta({ examples: ["off"] }),
  TIERS_FILE: optional,
  SLOW_QUERY_MS: wholeNumber(0, 600_000)
    .default(500)
    .meta({ examples: ["500"] }),
  METRICS_PORT: wholeNumber(0, 65_535)
    .optional()
    .meta({ examples: ["9464"] }),
  METRICS_HOST: z.string().default("127.0.0.1"),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().meta({ examples: ["http://localhost:4318"] }),
  // Collectors accept JSON on the port of Protobuf, but not on that of gRPC.
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(["http/json", "http/protobuf"])
    .optional()
    .meta({ examples: ["http/json"] }),
  OTEL_SERVICE_NAME: z.string().default("soul-hub"),
  OTEL_TRACES_SAMPLER: z
    .enum([
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ])
    .default("parentbased_traceidratio")
    .meta({ examples: ["parentbased_traceidratio"] }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .meta({ examples: ["0.05"] }),
  OTEL_SDK_DISABLED: z
    .string()
    .default("false")
    .transform((value) => value.toLowerCase() === "true"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .meta({ examples: ["warn"] }),
});

/**
 * Reads and checks the environment (decisions §8). No other function reads `process.env`.
 * @throws EnvironmentError naming the variable, with an example
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env) {
  // An empty variable counts as unset: compose files and CI cannot leave variables out.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const result = variables.safeParse(given);
  if (!result.success) {
    const lines = result.error.issues.map(({ path: [name], message }) =>
      complaint(name as VariableName, message),
    );
    throw new EnvironmentError(lines.join("\n"));
  }
  const env = result.data;
  for (const name of ["MASTER_KEYS", "ADMIN_TOKEN"] as const) {
    if (env.DATABASE_URL && !env[name]) {
      throw new EnvironmentError(complaint(name, "is required with DATABASE_URL"));
    }
  }
  if (env.SMTP_URL && !env.MAIL_FROM) {
    throw new EnvironmentError(complaint("MAIL_FROM", "is required with SMTP_URL"));
  }
  if (env.EMAIL_VERIFICATION === "required" && !env.SMTP_URL) {
    throw new EnvironmentError(
      complaint("SMTP_URL", "is required with EMAIL_VERIFICATION=required"),
    );
  }
  if (env.DATABASE_POOLER !== "off") {
    for (const name of ["DATABASE_URL", "DATABASE_DIRECT_URL"] as const) {
      const required = `is required with DATABASE_POOLER=${env.DATABASE_POOLER}`;
      if (!env[name]) throw new EnvironmentError(complaint(name, required));
    }
  }
  return {
    ...env,
    isTraced: env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && !env.OTEL_SDK_DISABLED,
    tiers: readTiers(env.TIERS_FILE),
    models: modelsConfig(env),
  };
}

function complaint(name: VariableName, message: string): string {
  const [example] = (variables.shape[name].meta()?.examples as string[] | undefined) ?? [];
  return `${name}: ${message}${example ? `. Example: ${name}=${example}` : ""}`;
}

type Variables = z.infer<typeof variables>;
type VariableName = keyof typeof variables.shape;
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

const modelsConfig = (env: Variables): ModelsConfig => ({
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
    text: routeLimits(env, "TEXT"),
    vision: routeLimits(env, "VISION"),
    premium: routeLimits(env, "PREMIUM"),
    summary: routeLimits(env, "SUMMARY"),
  },
});

const routeLimits = (env: Variables, route: "TEXT" | "VISION" | "PREMIUM" | "SUMMARY") => ({
  timeoutMs: env[`${route}_MODEL_TIMEOUT_MS`],
  maxOutputTokens: env[`${route}_MODEL_MAX_OUTPUT_TOKENS`],
});
