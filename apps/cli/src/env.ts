import path from "node:path";
import { Failure } from "@soul-hub/program";
import { z } from "zod";

const repositoryRoot = path.resolve(import.meta.dirname, "../../..");

const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ }).optional();

/**
 * The server's environment variables that the command line tool reads too (decisions §8). In the
 * server's environment, the tool finds the running hub.
 */
const variables = z.object({
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  PORT: z.string().regex(/^\d+$/).default("3000"),
  ADMIN_TOKEN: z.string().regex(/^\S+$/).optional(),
  DATABASE_URL: databaseUrl,
  DATABASE_DIRECT_URL: databaseUrl,
  MASTER_KEYS: z.string().optional(),
  DATA_DIR: z.string().default(path.join(repositoryRoot, ".data")),
});

export type Environment = z.infer<typeof variables>;

/**
 * Reads and validates the environment. Nothing else in this package reads `process.env`.
 * @throws Failure `bad_environment` with the names of the invalid variables
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  // An empty environment variable counts as unset.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const result = variables.safeParse(given);
  if (result.success) return result.data;
  const names = result.error.issues.map(({ path: [name] }) => String(name));
  // The message omits the values of the variables, which may be secrets.
  throw new Failure("bad_environment", `${names.join(", ")}: invalid value.`);
}
