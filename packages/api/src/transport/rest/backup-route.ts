import type { FastifyInstance } from "fastify";
import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { Hub } from "../../context.ts";
import { fileTime } from "../../file-time.ts";
import { authorize } from "../../trpc/authorize.ts";
import { httpRequestContext } from "../http/request-context.ts";

/**
 * Registers GET /admin/backup, which streams a backup of the running hub to its operator (0028).
 * The response is bytes, so no procedure serves it.
 */
export function addBackupRoute(app: FastifyInstance, hub: Hub): void {
  app.get<{ Querystring: { keys?: string } }>(
    "/admin/backup",
    { exposeHeadRoute: false },
    async (request, reply) => {
      const ctx = httpRequestContext(hub, "rest", request, reply);
      const caller = await ctx.identify();
      await ctx.limit(caller, "read");
      authorize(caller, { access: "admin" }, ctx);
      const withKeys = request.query.keys !== "without";
      const archive = await hub.backups.open(withKeys);
      // A hub with a full disk, or one that moves, stores no row; its operator needs the backup.
      if (!hub.storage.isFull && !hub.maintenance.isOn) {
        const detail = { with_keys: withKeys && hub.backups.haveKeys };
        const entry = { actor: actorOf(caller), action: "back-up", target: "hub", detail };
        await writeAudit(hub.database.db, entry).catch((error: unknown) => {
          archive.destroy();
          throw error;
        });
      }
      return reply
        .header("cache-control", "no-store")
        .header("content-type", "application/zstd")
        .header("backup-keys", withKeys && hub.backups.haveKeys ? "included" : "none")
        .header("content-disposition", `attachment; filename="soul-hub-${fileTime()}.hub"`)
        .send(archive);
    },
  );
}
