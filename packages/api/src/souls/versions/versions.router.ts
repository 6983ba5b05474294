import { z } from "zod";
import { field, id, message, utcTime } from "../../fields.schema.ts";
import { countAsSearch } from "../../trpc/call-cost.ts";
import { keyHolder, open, router } from "../../trpc/trpc.ts";
import { contentHidden, count, fileType, storedText } from "../souls.schema.ts";
import {
  hasPackage,
  isHidden,
  shownContentHash,
  shownDigest,
  shownNote,
  shownSignature,
  versionNote,
  versionNumber,
} from "../version/version.schema.ts";
import { compareVersions } from "./diff/compare-versions.service.ts";
import { versionDiff } from "./diff/version-diff.schema.ts";
import { listVersions } from "./list-versions.service.ts";
import { readVersion, restoreVersion, setVersion } from "./versions.service.ts";

const { title, ...furtherTexts } = storedText;
const versionId = field(id, 31, "The value for `version_id`.");
const editedAt = utcTime.describe("The time at which this state was replaced.");

/** The fields of a version in every response. */
const version = {
  soul_id: id,
  number: versionNumber,
  note: shownNote,
  title,
  content_hidden: contentHidden,
  has_package: hasPackage,
  signature: shownSignature,
  is_hidden: isHidden.optional(),
};

/** The fields that are worked out from the texts, and the texts. */
const versionTexts = {
  ...furtherTexts,
  file_type: fileType.nullable().describe("Detected from the content. Null where it is hidden."),
  digest: shownDigest,
  content_sha256: shownContentHash,
};

const snapshot = z.object({ id: versionId, ...version, edited_at: editedAt });

const newVersion = versionNumber.describe("The number of the new state.");

/** The endpoints of a soul's versions (specification §4.5, decisions §7). */
export const versionsRouter = router({
  list: open("public")
    .meta({
      rest: "GET /versions",
      shared: true,
      summary: "List the version history of a soul",
      description:
        "All former versions, newest first. Callers other than the owner get neither hidden versions nor those from while the soul was private. `content` is hidden where an NFT gate hides the soul's content, or if the version had a different gate. The response ends after 16 million characters of content. With `content=false` it lists all versions, without `description`, `content`, `role`, `domain`, `compatibility`, `file_type`, `digest` and `content_sha256`.",
      failures: ["soul_not_found", "scope_missing", "chain_unavailable"],
    })
    .input(
      z.object({
        soul_id: id,
        content: field(z.boolean().default(true), true, "False for versions without their texts."),
      }),
    )
    .output(
      z.object({
        count,
        data: z.union([
          z.array(snapshot.extend(versionTexts)),
          // Without `strict`, a version whose texts fail their schema would lose them silently.
          z.array(snapshot.strict()).describe("The versions with `content=false`."),
        ]),
      }),
    )
    .query(({ ctx, input }) => listVersions(ctx, input)),

  get: open("public")
    .meta({
      rest: "GET /version",
      shared: true,
      summary: "Read one version of a soul",
      description:
        "The present version too, which is the default. Callers read the versions that GET /versions lists for them.",
      failures: ["soul_not_found", "scope_missing", "version_not_found", "chain_unavailable"],
    })
    .input(z.object({ soul_id: id, number: versionNumber.optional() }))
    .output(
      z.object({
        data: z.object({
          id: versionId.nullable().describe("The value for `version_id`; null if it is current."),
          ...version,
          ...versionTexts,
          is_current: field(z.boolean(), false, "True for the present version."),
          edited_at: editedAt.nullable(),
        }),
      }),
    )
    .query(({ ctx, input }) => readVersion(ctx, input)),

  diff: open("public")
    .meta({
      rest: "GET /version-diff",
      shared: true,
      waits: true,
      summary: "Compare two versions of a soul",
      description:
        "By default the present version is compared with the newest one before it that the caller may read. `patch` turns the files of `from` into those of `to` with the texts in `unified`. A file has `is_whole: true`, and all of its lines are removed and added, if it has more than 4,000 edits or takes longer than 250 ms. The same holds for changed files that are left after 500 ms. Which files these are depends on the server's load. Counts as a search, and as one more call for each 5 ms.",
      failures: [
        "soul_not_found",
        "scope_missing",
        "version_not_found",
        "nft_required",
        "chain_unavailable",
      ],
    })
    .input(
      z.object({
        soul_id: id,
        from: field(versionNumber.optional(), 3, "By default the version before `to`."),
        to: field(versionNumber.optional(), 4, "By default the present version."),
      }),
    )
    .output(z.object({ data: versionDiff }))
    .query(async ({ ctx, input, signal }) => {
      await countAsSearch(ctx);
      return compareVersions(ctx, input, signal ?? ctx.connection.closed);
    }),

  set: keyHolder("souls:write")
    .meta({
      rest: "PUT /version",
      writes: true,
      summary: "Set the note of a version, or hide it",
      description:
        "A hidden version does not exist for callers other than the owner. The present version cannot be hidden.",
      failures: ["soul_not_found", "not_owner", "version_not_found"],
    })
    .input(
      z
        .object({
          soul_id: id,
          number: versionNumber,
          note: versionNote.optional(),
          is_hidden: field(z.boolean(), true, "True to hide it, false to show it.").optional(),
        })
        .refine(
          ({ note, is_hidden }) => note !== undefined || is_hidden !== undefined,
          "must contain `note` or `is_hidden`",
        ),
    )
    .output(z.object({ message: field(message, "The version is saved.") }))
    .mutation(({ ctx, input }) => setVersion(ctx, input)),

  restore: keyHolder("souls:write")
    .meta({
      rest: "POST /versions",
      needsVerified: true,
      writes: true,
      idempotent: true,
      summary: "Restore a soul to a version",
      description: "The current state is stored as a version first. Visibility does not change.",
      failures: ["soul_not_found", "not_owner", "version_not_found"],
    })
    .input(
      z.object({
        soul_id: id,
        version_id: field(id, 31),
        note: versionNote.optional().describe("By default “Restored from version N.”"),
      }),
    )
    .output(
      z.object({
        message: field(message, "The version is restored. The previous state is in the history."),
        version: newVersion,
      }),
    )
    .mutation(({ ctx, input }) => restoreVersion(ctx, input)),
});
