import { readFileSync } from "node:fs";
import path from "node:path";
import { defaultTiers, type ModelsConfig, parseTierTable, readHostAndPort } from "@soul-hub/api";
import { adminToken, databaseUrl, EnvironmentError, masterKeys } from "@soul-hub/api/operator";
import { z } from "zod";

const repositoryRoot = path.resolve(import.meta.dirname, "../../..");

/** Adds an example to a variable, for the message about an invalid value. */
const variable = <Schema extends z.ZodType>(schema: Schema, example: string): Schema =>
  schema.meta({ examples: [example] });

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
/** True if a URL has no more than a scheme, a host and a port. */
const isOrigin = (text: string) => new URL(text).href === `${new URL(text).origin}/`;
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
const routeTimeoutMs = variable(timeoutMs.optional(), "60000");
const maxOutputTokens = variable(wholeNumber(1, 1_000_000).optional(), "2000");
/** A retention time, of at most a hundred years; 0 keeps the rows (0035). */
const days = wholeNumber(0, 36_500);
const cidr = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** The environment variables. */
const variables = z.object({
  PORT: variable(wholeNumber(0, 65_535).default(3000), "3000"),
  HOST: z.string().default("127.0.0.1"),
  BASE_URL: variable(
    httpUrl
      .transform((url) => url.replace(/\/+$/, ""))
      .refine(isOrigin, "must have no path, since a hub needs a host of its own")
      .optional(),
    "https://hub.example.org",
  ),
  DATABASE_URL: variable(databaseUrl.optional(), "postgres://hub:secret@localhost:5432/hub"),
  DATABASE_POOLER: variable(
    z.enum(["off", "transaction", "prepared"]).default("off"),
    "transaction",
  ),
  DATABASE_DIRECT_URL: variable(databaseUrl.optional(), "postgres://hub:secret@localhost:5432/hub"),
  REDIS_URL: variable(z.url({ protocol: /^rediss?$/ }).optional(), "redis://localhost:6379"),
  DATA_DIR: z.string().default(path.join(repositoryRoot, ".data")),
  DISK_RESERVE_MB: variable(wholeNumber(0, 1_000_000).default(256), "256"),
  STORAGE_MB_PER_ACCOUNT: variable(wholeNumber(0, 1_000_000).default(256), "256"),
  AUTO_LIMIT: variable(wholeNumber(0, 10_000).default(0), "5"),
  BACKUP_DIR: optional,
  BACKUP_EVERY_HOURS: variable(wholeNumber(0, 8_760).default(24), "24"),
  BACKUP_KEEP: variable(wholeNumber(1, 10_000).default(7), "7"),
  DATA_SYNC: variable(onOff.default(true), "off"),
  MASTER_KEYS: variable(
    masterKeys.optional(),
    "k1:<32 bytes as base64, e.g. from `openssl rand -base64 32`>",
  ),
  ADMIN_TOKEN: variable(adminToken.optional(), "at least 16 characters"),
  TEXT_MODEL: optional,
  VISION_MODEL: optional,
  PREMIUM_MODEL: optional,
  SUMMARY_MODEL: optional,
  MODEL_CALLS_AT_ONCE: variable(wholeNumber(1, 100_000).default(256), "256"),
  MODEL_TIMEOUT_MS: variable(timeoutMs.default(60_000), "60000"),
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
  OPENAI_COMPATIBLE_BASE_URL: variable(httpUrl.optional(), "http://localhost:11434/v1"),
  OPENAI_COMPATIBLE_API_KEY: optional,
  NEAR_RPC_URLS: variable(
    list.pipe(z.array(nearRpcUrl)),
    "https://rpc.mainnet.near.org,https://near.example.org",
  ),
  BYOK_ALLOWED_HOSTS: variable(
    list.pipe(z.array(hostAndPort)),
    "localhost:11434,models.example.org:443",
  ),
  SMTP_URL: variable(smtpUrl.optional(), "smtps://hub:secret@mail.example.org"),
  MAIL_FROM: variable(mailAddress.optional(), "Soul Hub <hub@example.org>"),
  EMAIL_VERIFICATION: variable(
    z.enum(["off", "optional", "required"]).default("optional"),
    "required",
  ),
  MCP_ALLOWED_ORIGINS: variable(list.pipe(z.array(origin)), "https://inspector.example.org"),
  WALLETS: variable(
    z
      .string()
      .default("MyNearWallet https://app.mynearwallet.com/sign-message")
      .transform((text) => (text === "off" ? [] : split(text)))
      .pipe(z.array(webWallet)),
    "MyNearWallet https://testnet.mynearwallet.com/sign-message",
  ),
  SECURITY_CONTACT: variable(contact.optional(), "mailto:security@example.org"),
  REGISTRATION: variable(z.enum(["open", "invite", "closed"]).default("open"), "invite"),
  GUESTS: variable(onOff.default(true), "off"),
  CONTACT: variable(contact.optional(), "mailto:operator@example.org"),
  TERMS_URL: variable(httpUrl.optional(), "https://hub.example.org/terms"),
  PRIVACY_URL: variable(httpUrl.optional(), "https://hub.example.org/privacy"),
  TRUST_PROXY: variable(list.pipe(z.array(cidr)), "10.0.0.0/8,::1"),
  MAX_CONNECTIONS: variable(wholeNumber(16, 1_000_000).default(10_000), "10000"),
  RETAIN_ROOMS: variable(days.default(0), "365"),
  RETAIN_GUEST_ROOMS: variable(days.default(0), "30"),
  DELETION_GRACE_DAYS: variable(wholeNumber(0, 90).default(14), "14"),
  RETAIN_USAGE: variable(days.default(90), "90"),
  RETAIN_REPORTS: variable(days.default(180), "180"),
  RETAIN_AUDIT: variable(days.default(400), "400"),
  RATE_LIMITS: variable(onOff.default(true), "off"),
  CDN_CACHE: variable(onOff.default(false), "on"),
  STARTER_SOULS: variable(onOff.default(true), "off"),
  SEARCH_MODEL: variable(z.enum(["builtin", "off"]).default("builtin"), "off"),
  TIERS_FILE: optional,
  SLOW_QUERY_MS: variable(wholeNumber(0, 600_000).default(500), "500"),
  METRICS_PORT: variable(wholeNumber(0, 65_535).optional(), "9464"),
  METRICS_HOST: z.string().default("127.0.0.1"),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(httpUrl.optional(), "http://localhost:4318"),
  // Collectors accept JSON on the port of Protobuf, but not on that of gRPC.
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(
    z.enum(["http/json", "http/protobuf"]).optional(),
    "http/json",
  ),
  OTEL_SERVICE_NAME: z.string().default("soul-hub"),
  OTEL_TRACES_SAMPLER: variable(
    z
      .enum([
        "always_on",
        "always_off",
        "traceidratio",
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
      ])
      .default("parentbased_traceidratio"),
    "parentbased_traceidratio",
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(z.coerce.number().min(0).max(1).default(0.05), "0.05"),
  OTEL_SDK_DISABLED: z
    .string()
    .default("false")
    .transform((value) => value.toLowerCase() === "true"),
  LOG_LEVEL: variable(
    z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
    "warn",
  ),
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
