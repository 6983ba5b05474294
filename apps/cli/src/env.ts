import path from "node:path";
import { z } from "zod";
import { CommandFailure } from "./command-failure.ts";

const repositoryRoot = path.resolve(import.meta.dirname, "../../..");

/** The same names as the server's own (decisions §8): in its environment the tool finds its hub. */
const variables = z.object({
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  PORT: z.string().regex(/^\d+$/).default("3000"),
  ADMIN_TOKEN: z.string().regex(/^\S+$/).optional(),
  DATA_DIR: z.string().default(path.join(repositoryRoot, ".data")),
});

export type Environment = z.infer<typeof variables>;

/**
 * Reads and checks the environment. The only reader of `process.env` here.
 * @throws CommandFailure naming the variable
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  // An empty variable is one that isn't set.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const result = variables.safeParse(given);
  if (result.success) return result.data;
  const names = result.error.issues.map(({ path: [name] }) => String(name));
  // Its value may be a secret.
  throw new CommandFailure("bad_environment", `${names.join(", ")}: can't be used as it is set.`);
}
