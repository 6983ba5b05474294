import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { MoveLimits } from "../operator/watch-target.ts";
import { connectDatabase } from "../tables/connect.ts";
import { createPostgresDatabase } from "../testing/own-database.ts";
import { copyEmbeddedTemplate, type DatabaseKind } from "../testing/test-database.ts";
import { startTestHub } from "../testing/test-hub.ts";

/**
 * Starts a hub whose database can be backed up.
 * @param place the directory of an embedded database and its secrets
 */
export async function startBackedUpHub(
  kind: DatabaseKind,
  place: string,
  limits: { moveLimits?: MoveLimits } = {},
) {
  if (kind === "postgresql") {
    const databaseUrl = await createPostgresDatabase();
    const hub = await startTestHub({
      database: await connectDatabase({ url: databaseUrl }),
      backup: { source: { databaseUrl }, secretsFile: null },
    });
    return { hub, databaseUrl };
  }
  const directory = path.join(place, "database");
  await copyEmbeddedTemplate(directory);
  const secretsFile = path.join(place, "secrets.json");
  await writeFile(secretsFile, '{"master_keys":"k1:…"}');
  const database = await connectDatabase({ directory });
  const hub = await startTestHub({
    database,
    backup: { source: { directory }, secretsFile, ...limits },
  });
  return { hub, databaseUrl: null };
}
