import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresCopy } from "../archive/postgres-copy.ts";
import { ruleDatabase } from "../testing/test-database.ts";
import { ADMIN_TOKEN } from "../testing/test-hub.ts";
import { BACKUP_LOCK } from "./archive-job.ts";
import { startBackedUpHub } from "./backed-up-hub.fixture.ts";

const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** Decision 0028. `backup-download.deep.test.ts` reads backups. */
describe("GET /api/admin/backup", () => {
  let place: string;
  let started: Awaited<ReturnType<typeof startBackedUpHub>>;
  beforeAll(async () => {
    place = await mkdtemp(path.join(tmpdir(), "soul-hub-backups-"));
    started = await startBackedUpHub(ruleDatabase(), place);
  });
  afterAll(async () => {
    await started?.hub.close();
    await rm(place, { recursive: true, force: true });
  });

  it("answers 404 to callers other than the operator, and 405 to other methods", async () => {
    const { hub } = started;
    for (const actor of [await hub.member("ada"), hub.guest()]) {
      const refused = await actor.get("/api/admin/backup");
      expect([refused.status, refused.body.error]).toEqual([404, "not_found"]);
    }
    expect((await hub.guest().post("/api/admin/backup")).status).toBe(405);
  });

  it.runIf(ruleDatabase() === "postgresql")(
    "answers 409 while another server backs up the same database",
    async () => {
      await using other = await postgresCopy(started.databaseUrl ?? "");
      await other.query("select pg_advisory_lock($1::bigint)", [BACKUP_LOCK]);
      const refused = await started.hub.guest().get("/api/admin/backup", operator);
      expect([refused.status, refused.body.error]).toEqual([409, "backup_running"]);
    },
  );
});
