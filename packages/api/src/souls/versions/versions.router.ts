import { z } from "zod";
import { field, id, message, utcTime } from "../../fields.schema.ts";
import { keyHolder, open, router } from "../../trpc/trpc.ts";
import { contentHidden, count, storedText } from "../souls.schema.ts";
import { listVersions, restoreVersion } from "./versions.service.ts";

/** The endpoints of a soul's versions (specification §4.5). */
export const versionsRouter = router({
  list: open
    .meta({
      rest: "GET /versions",
      shared: true,
      summary: "List the version history of a soul",
      description:
        "All versions, newest first. Callers other than the owner get the versions from while the soul was public. `content` is hidden where an NFT gate hides the soul's content, or if the version had a different gate.",
      failures: ["soul_not_found", "chain_unavailable"],
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        count,
        data: z.array(
          z.object({
            id: field(id, 31, "The value for `version_id`."),
            soul_id: id,
            ...storedText,
            content_hidden: contentHidden,
            edited_at: utcTime.describe("The time at which this state was replaced."),
          }),
        ),
      }),
    )
    .query(({ ctx, input }) => listVersions(ctx, input.soul_id)),

  restore: keyHolder
    .meta({
      rest: "POST /versions",
      idempotent: true,
      summary: "Restore a soul to a version",
      description: "The current state is stored as a version first. Visibility does not change.",
      failures: ["soul_not_found", "not_owner", "version_not_found"],
    })
    .input(z.object({ soul_id: id, version_id: field(id, 31) }))
    .output(
      z.object({
        message: field(message, "The version is restored. The previous state is in the history."),
      }),
    )
    .mutation(({ ctx, input }) => restoreVersion(ctx, input)),
});
