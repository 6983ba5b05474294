import { z } from "zod";
import { field } from "../fields.schema.ts";
import { fileAnswer, member, router } from "../trpc/trpc.ts";
import { exportAccount } from "./export/export-account.service.ts";

const parts = ["souls", "chats", "social"] as const;

/** The archive of an account (0052). */
export const accountArchiveRouter = router({
  // A session or a key; named keys will need the scope `account:read`.
  export: member
    .meta({
      rest: "GET /export",
      since: "0.1.0",
      rateRule: "archive",
      sendsFile: ["application/zip"],
      summary: "Download everything of your account",
      description:
        "A zip of your souls with all versions, the rooms that you own or have written in, your likes and ratings. It contains no secret. `manifest.json` is its last file: an archive without it was cut off.",
    })
    .input(
      z.object({
        include: field(
          z
            .string()
            .regex(/^(?:souls|chats|social)(?:,(?:souls|chats|social))*$/)
            .default(parts.join()),
          "souls,social",
          "What the archive contains, separated by commas; by default everything.",
        ),
      }),
    )
    .output(fileAnswer)
    .query(({ ctx, input }) =>
      exportAccount(
        ctx,
        parts.filter((part) => input.include.split(",").includes(part)),
      ),
    ),
});
