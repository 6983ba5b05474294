import { z } from "zod";
import { field, flag, message } from "../fields.schema.ts";
import { fileAnswer } from "../trpc/file-answer.ts";
import { member, router } from "../trpc/trpc.ts";
import { eachCount } from "./archive-format.ts";
import { exportAccount } from "./export/export-account.service.ts";
import { importAccount } from "./import/import-account.service.ts";

const parts = ["souls", "chats", "social"] as const;
const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024;

const tally = z.object({
  created: field(z.int(), 3),
  unchanged: field(z.int(), 0, "What an earlier import has made, or is there already."),
});
tally.register(z.globalRegistry, { id: "ImportTally" });

/** The archive of an account (0053). */
export const accountArchiveRouter = router({
  export: member("account:read")
    .meta({
      rest: "GET /export",
      whileSuspended: true,
      rateRule: "archive",
      sendsFile: ["application/zip"],
      summary: "Download everything of your account",
      description:
        "A zip of your souls with all versions, the rooms that you own or have written in, your likes and ratings. It contains no secret. A named key needs `account:read`, and for each part its scope: `souls:read` for souls, `chat` for chats, `social` for social. Without `souls:read`, rooms of private souls are left out and counted in `unchecked`. `manifest.json` is its last file: an archive without it was cut off.",
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
        ).transform((text) => parts.filter((part) => text.split(",").includes(part))),
      }),
    )
    .output(fileAnswer)
    .query(({ ctx, input }) => exportAccount(ctx, input.include)),

  import: member("main")
    .meta({
      rest: "POST /import",
      needsVerified: true,
      writes: true,
      maxBodyBytes: MAX_ARCHIVE_BYTES,
      takesFile: ["application/zip", "application/octet-stream"],
      spoolsFile: true,
      rateRule: "archiveImport",
      summary: "Import the archive of an account",
      description:
        "Takes an archive of GET /export, of this hub or another one. Souls and rooms become private ones of yours; messages are marked `imported`. A second import makes nothing twice, and leaves what you edited since. Likes and ratings apply on the hub that wrote the archive.",
      failures: ["import_invalid"],
    })
    .input(
      z.object({
        file: z.string(),
        dry_run: flag("1", "1: says what the import would do, and changes nothing."),
      }),
    )
    .output(
      z.object({
        message: field(message, "The archive is imported."),
        dry_run: field(z.boolean(), false),
        ...eachCount(() => tally),
        skipped: z
          .array(
            z.object({
              path: field(z.string(), "rooms/3.ndjson"),
              reason: field(z.string(), "its soul is not on this hub"),
            }),
          )
          .describe("What was left out, and why."),
        warnings: z.array(
          z.object({
            path: field(z.string(), "souls/7/current/soul.json"),
            message: field(z.string(), "is of Soul Spec 0.9"),
          }),
        ),
      }),
    )
    .mutation(({ ctx, input }) => importAccount(ctx, input)),
});
