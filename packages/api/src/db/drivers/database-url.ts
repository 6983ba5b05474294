import { z } from "zod";

/**
 * Parameters of a database URL that would override the hub's own settings. pg prefers those of the
 * URL, and MikroORM reads `schema`.
 */
const OVERRIDING = [
  "application_name",
  "client_encoding",
  "fallback_application_name",
  "idle_in_transaction_session_timeout",
  "lock_timeout",
  "options",
  "query_timeout",
  "replication",
  "schema",
  "statement_timeout",
];

/** Refuses a database URL whose parameters would override the hub's settings (0032). */
export function refuseOverriding(url: string, refinement: z.RefinementCtx): void {
  const parameters = URL.parse(url)?.searchParams;
  for (const name of OVERRIDING) {
    if (!parameters?.has(name)) continue;
    refinement.addIssue(`may not have the parameter ${name}, which the hub sets itself`);
  }
}

/** A URL of PostgreSQL. Its parameters may say how to connect, such as `sslmode`. */
export const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ }).superRefine(refuseOverriding);
