import { exportFormatNames, exportFormats, MAX_IMPORT_BYTES } from "@soul-hub/soul-formats";
import { z } from "zod";
import { field, id, message } from "../../fields.schema.ts";
import { countAsSearch } from "../../trpc/call-cost.ts";
import { fileAnswer } from "../../trpc/file-answer.ts";
import { member, open, router } from "../../trpc/trpc.ts";
import { fileType, soulUrlText } from "../souls.schema.ts";
import { importPreview, soulImport } from "./exchange.schema.ts";
import { exportSoulFile } from "./export-soul.service.ts";
import { importSoulFile } from "./import-soul.service.ts";

const importTypes = [
  "application/zip",
  "image/png",
  "application/json",
  "text/markdown",
  "application/octet-stream",
] as const;

/** Without parameters such as `charset`. */
const exportTypes = [
  ...new Set(Object.values(exportFormats).map(({ mediaType }) => mediaType.replace(/;.*/, ""))),
];

/** Import and export of souls as files (0052). */
export const exchangeRouter = router({
  export: open("public")
    .meta({
      rest: "GET /soul/{id}/export",
      shared: true,
      sendsFile: exportTypes,
      summary: "Download a soul as a file",
      description:
        "`zip` is a Soul Spec package, `card-*` and `charx` are character cards, all others are one Markdown. The same state gives the same bytes. Counts as a search, and as one more call for each 64 KiB of the package.",
      failures: ["soul_not_found", "version_not_found", "nft_required", "chain_unavailable"],
    })
    .input(
      z.object({
        id,
        format: field(z.enum(exportFormatNames).default("zip"), "zip", "The file's format."),
        version_id: field(id.optional(), 31, "A former version; by default the present one."),
      }),
    )
    .output(fileAnswer)
    .query(async ({ ctx, input }) => {
      await countAsSearch(ctx);
      return exportSoulFile(ctx, input);
    }),

  import: member("souls:write")
    .meta({
      rest: "POST /souls/import",
      needsVerified: true,
      writes: true,
      maxBodyBytes: MAX_IMPORT_BYTES,
      takesFile: importTypes,
      rateRule: "import",
      idempotent: true,
      summary: "Import a file as a soul",
      description:
        "The body is the file: a Soul Spec package, a character card (PNG, JSON, CHARX) or a Markdown. Its first bytes decide what it is, not its media type. JSON that is no card, and a web page, are a Markdown only if sent as `text/markdown`. A new soul is private unless `is_public=1`, since it may be somebody else's work. What the file brings beyond the content is kept beside the soul, and an export contains it.",
      failures: [
        "import_invalid",
        "soul_not_found",
        "not_owner",
        "soul_changed",
        "account_storage_full",
      ],
    })
    .input(soulImport)
    .output(
      z.object({
        message: field(message, "“Orla” is saved as private."),
        id: field(id.nullable(), 1, "The soul. Null in a dry run."),
        url: soulUrlText.nullable(),
        changed: field(z.boolean(), true, "False if the soul has this state already."),
        format: field(
          z.enum(["zip", "charx", "card-png", "card-json", "card-v2-json", "card-v1-json", "md"]),
          "card-png",
          "What the file was read as.",
        ),
        file_type: fileType,
        preview: importPreview.nullable().describe("In a dry run of a new soul; otherwise null."),
        files: z
          .array(
            z.object({
              path: field(z.string(), "SOUL.md", "Empty for a file without a path."),
              size: field(z.int(), 1_204, "In bytes."),
              sha256: field(
                z.string(),
                "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
              ),
              kept: field(z.enum(["content", "package"]), "content"),
            }),
          )
          .describe("The files of the import, and where each is kept."),
        warnings: z
          .array(
            z.object({
              path: field(z.string(), "LORE.md"),
              message: field(
                z.string(),
                "leaves out 12 entries of the lorebook, which stay in the card",
              ),
            }),
          )
          .describe("What was cut, left out or not understood."),
      }),
    )
    .mutation(({ ctx, input }) => importSoulFile(ctx, input)),
});
