import type { Logger } from "pino";
import type { Db } from "../database.ts";
import { readSchemaVersion } from "./schema-version.ts";

declare module "../../context.ts" {
  interface Hub {
    schema: SchemaWatch;
  }
}

/**
 * Notices when a newer release has migrated the database to a schema that this app does not know.
 * Calls continue to run. /readyz reports it, so that load balancers send them to other servers.
 */
export class SchemaWatch {
  isTooNew = false;
  readonly #appVersion: number;

  /** @param appVersion the schema version of the app */
  constructor(appVersion: number) {
    this.#appVersion = appVersion;
  }

  /** Reads the schema version of the database. The hub calls this periodically. */
  async check(db: Db, log: Logger): Promise<void> {
    const { version, oldest_app } = await readSchemaVersion(db);
    const isTooNew = oldest_app > this.#appVersion;
    if (isTooNew && !this.isTooNew) {
      const schema = { database: version, oldest_app, app: this.#appVersion };
      log.error({ schema }, "a newer release has overtaken this server: replace the server");
    }
    this.isTooNew = isTooNew;
  }
}
