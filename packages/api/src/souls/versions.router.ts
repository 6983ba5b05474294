import { z } from "zod";
import { id, message, utcTime } from "../fields.schema.ts";
import { keyHolder, open, router } from "../trpc.ts";
import { contentHidden, count, storedText } from "./souls.schema.ts";
import { listVersions, restoreVersion } from "./versions.service.ts";

const tag = "Souls";

/** Specification §4.5, versions. */
export const versionsRouter = router({
  list: open
    .meta({
      rest: {
        method: "GET",
        path: "/versions",
        shared: true,
        tag,
        summary: "List the version history of a soul",
        description:
          "Newest first, whole. Of somebody else's public soul you see the versions from while it was public. Behind an NFT gate their `content` is for who may read the soul's; what was written behind another gate than the present one stays its owner's.",
        failures: ["soul_not_found", "chain_unavailable"],
      },
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        count,
        data: z.array(
          z.object({
            id: id.meta({ description: "For `version_id`.", examples: [31] }),
            soul_id: id,
            ...storedText,
            content_hidden: contentHidden,
            edited_at: utcTime.meta({ description: "When this state was replaced." }),
          }),
        ),
      }),
    )
    .query(({ ctx, input }) => listVersions(ctx, input.soul_id)),

  restore: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/versions",
        idempotent: true,
        tag,
        summary: "Restore a soul to a version",
        description: "The present state is kept as a version first. Visibility does not change.",
        failures: ["soul_not_found", "not_owner", "version_not_found"],
      },
    })
    .input(z.object({ soul_id: id, version_id: id.meta({ examples: [31] }) }))
    .output(
      z.object({
        message: message.meta({
          examples: ["The version is restored. The state before is in the history."],
        }),
      }),
    )
    .mutation(({ ctx, input }) => restoreVersion(ctx, input)),
});
