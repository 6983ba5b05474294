import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "@soul-hub/program";
import { askHub } from "../ask-hub.ts";
import type { Environment } from "../env.ts";
import { findHub } from "../find-hub.ts";
import type { Command } from "../report.ts";

const LOOK_MS = 500;

/**
 * Moves the data of a running embedded hub to PostgreSQL, and prints the variables with which the
 * hub starts there.
 * @throws Failure `move_failed`; the hub goes on as before then
 */
export const moveTo =
  (databaseUrl: string): Command =>
  async (env) =>
    askHub(await findHub(env), async (hub) => {
      await hub.backup.beginMove.mutate({ database_url: databaseUrl });
      let state = await hub.backup.readMove.query({});
      while (state.step !== "moved" && state.step !== "failed") {
        await sleep(LOOK_MS);
        state = await hub.backup.readMove.query({});
      }
      if (state.step === "failed") {
        throw new Failure(
          "move_failed",
          `The move failed, and the hub accepts writes again: ${state.reason}`,
        );
      }
      const lines = [
        `Moved ${state.rows} rows to ${new URL(databaseUrl).host} and compared them. The hub refuses writes now.`,
        "Stop it, and start it with these variables:",
        "",
        ...startVariables(databaseUrl, secretsFile(env)),
      ];
      return { json: { rows: state.rows }, lines };
    });

/** Returns the file with the hub's keys; null if the environment has them. */
function secretsFile({ DATA_DIR, MASTER_KEYS, ADMIN_TOKEN }: Environment): string | null {
  if (MASTER_KEYS && ADMIN_TOKEN) return null;
  const file = path.resolve(DATA_DIR, "secrets.json");
  return existsSync(file) ? file : null;
}

/** The keys are read from their file by the shell, so that no terminal shows them. */
function startVariables(databaseUrl: string, secrets: string | null): string[] {
  const read = (value: string) => `"$(node -p "const s = require('${secrets}'); ${value}")"`;
  return [
    `export DATABASE_URL='${databaseUrl}'`,
    ...(secrets
      ? [
          `export MASTER_KEYS=${read("s.master_keys ?? 'k1:' + s.master_key")}`,
          `export ADMIN_TOKEN=${read("s.admin_token")}`,
        ]
      : ["MASTER_KEYS and ADMIN_TOKEN as before"]),
  ];
}
