import { z } from "zod";
import { field, id, message } from "../fields.schema.ts";
import { countAsSearch } from "../trpc/call-cost.ts";
import { keyHolder, member, open, router } from "../trpc/trpc.ts";
import { listCategories } from "./categories.ts";
import { listMySouls, listSouls } from "./list-souls.service.ts";
import type { MeaningState } from "./search/embedding.ts";
import { similarSouls } from "./similar-souls.service.ts";
import { readableSoul } from "./soul-access.ts";
import {
  count,
  expectedHash,
  foundEntry,
  hasMore,
  limit,
  meaningState,
  offset,
  ownListEntry,
  sort,
  soul,
  soulFields,
  soulListEntry,
  soulUrlText,
} from "./souls.schema.ts";
import { deleteSoul, publishSoul, updateSoul } from "./souls.service.ts";
import { versionNote, versionNumber } from "./version/version.schema.ts";

const total = field(z.int(), 1, "All entries, not only this page.");
const foundTotal = total
  .optional()
  .describe(
    "The exact number of matches, at most 10,100. With `q`, absent where the hub did not read all matches; only the first 1,000 can then be paged through. Absent as well on a page that a search without typing errors or by meaning added souls to, and on those after it.",
  );

/**
 * The body limit of a request that contains a soul. It allows content of 200,000 characters, each
 * escaped as two \uXXXX, and the other fields.
 */
const MAX_SOUL_BODY_BYTES = 3 * 1024 * 1024;

/** The fields of a search, for both lists of souls. A search by meaning allows longer questions. */
const soulSearch = (maxChars: number) => ({
  q: field(
    z.string().max(maxChars).default(""),
    "code review",
    "Plain text without operators. Without it, all souls are listed.",
  ),
  role: field(z.string().max(100).default(""), "software-engineering", "A category slug."),
  sort: sort.optional(),
  limit,
  offset,
});

/** True for an answer that lacks souls because the model did not answer in time (0079). */
const isWarming = (answer: { meaning?: MeaningState; search?: { meaning: MeaningState } }) =>
  (answer.search ?? answer).meaning === "warming";

/** The endpoints of souls (specification §4.4). */
export const soulsRouter = router({
  categories: open("public")
    .meta({
      rest: "GET /categories",
      shared: true,
      summary: "List the categories, the allowed roles",
    })
    .output(
      z.object({
        count,
        data: z.array(
          z.object({
            id,
            name: field(z.string(), "Software Engineering"),
            slug: field(z.string(), "software-engineering", "A soul's `role`."),
            icon: field(z.string(), "💻", "An emoji."),
          }),
        ),
      }),
    )
    .query(listCategories),

  list: open("public")
    .meta({
      rest: "GET /souls",
      shared: true,
      summary: "Search public souls",
      description:
        "With `q` and without `sort`, the order is exact title, title prefix, then relevance. Without both, the newest soul comes first. Where text finds fewer souls than the page holds, souls follow that `q` finds without its typing errors, and then, without `sort`, souls of a similar meaning.",
      isPassing: isWarming,
    })
    .input(
      z.object({
        ...soulSearch(1_000),
        match: field(
          z.enum(["all", "text"]).default("all"),
          "all",
          "`text`: only souls that contain the words of `q` as written.",
        ),
      }),
    )
    .output(
      z.object({
        count,
        total: foundTotal,
        has_more: hasMore,
        data: z.array(foundEntry),
        search: z
          .object({
            corrected: field(
              z.string().nullable(),
              null,
              "The question without its typing errors, if it was searched as well.",
            ),
            meaning: meaningState,
          })
          .optional()
          .describe("With `q`, unless `match=text`."),
      }),
    )
    .query(async ({ ctx, input }) => {
      if (input.q !== "") await countAsSearch(ctx);
      return listSouls(ctx, input);
    }),

  mine: member("souls:read")
    .meta({
      rest: "GET /my-souls",
      summary: "List your own souls, including private ones",
      description:
        "The newest soul comes first, unless `sort` says otherwise. With `q`, each word must stand in title, description, domain or role.",
    })
    .input(z.object(soulSearch(200)))
    .output(z.object({ count, total, has_more: hasMore, data: z.array(ownListEntry) }))
    .query(({ ctx, input }) => listMySouls(ctx, input)),

  read: open("public")
    .meta({
      rest: "GET /soul/{id}",
      shared: true,
      summary: "Read one soul",
      description:
        "Behind an NFT gate, only the owner and holders of an NFT of `nft_contract` in a verified wallet read `content`. For other callers it is empty and `content_hidden` is true.",
      failures: ["soul_not_found", "scope_missing", "chain_unavailable"],
    })
    .input(z.object({ id }))
    .output(z.object({ data: soul }))
    .query(async ({ ctx, input }) => ({ data: await readableSoul(ctx, input.id) })),

  similar: open("public")
    .meta({
      rest: "GET /soul/{id}/similar",
      shared: true,
      summary: "List souls similar to one",
      description:
        "Public souls of the nearest meaning, without the soul's source and its forks. Empty for a private soul.",
      failures: ["soul_not_found", "scope_missing"],
      isPassing: isWarming,
    })
    .input(
      z.object({
        id,
        limit: field(z.int().min(1).max(20).default(10), 10, "The maximum number of entries."),
      }),
    )
    .output(z.object({ count, data: z.array(soulListEntry), meaning: meaningState }))
    .query(async ({ ctx, input }) => {
      await countAsSearch(ctx);
      return similarSouls(ctx, input);
    }),

  publish: keyHolder("souls:write")
    .meta({
      maxBodyBytes: MAX_SOUL_BODY_BYTES,
      rest: "POST /souls",
      needsVerified: true,
      writes: true,
      idempotent: true,
      summary: "Publish a soul",
    })
    .input(
      z.object({
        ...soulFields,
        description: soulFields.description.default(""),
        role: soulFields.role.default("Other"),
        domain: soulFields.domain.default(""),
        compatibility: soulFields.compatibility.default("any"),
        is_public: soulFields.is_public.default(1),
        nft_contract: soulFields.nft_contract.default(null),
        note: versionNote.default(null),
      }),
    )
    .output(
      z.object({
        message: field(message, "“The Patient Reviewer” is published."),
        id,
        url: soulUrlText,
      }),
    )
    .mutation(({ ctx, input }) => publishSoul(ctx, input)),

  update: keyHolder("souls:write")
    .meta({
      maxBodyBytes: MAX_SOUL_BODY_BYTES,
      rest: "PUT /soul/{id}",
      needsVerified: true,
      writes: true,
      summary: "Update a soul",
      description:
        "Takes any subset of the fields. The previous state is stored as one snapshot. `note` describes the new state.",
      failures: ["soul_not_found", "not_owner", "soul_changed"],
    })
    .input(
      z
        .object({
          id,
          ...z.object(soulFields).partial().shape,
          note: versionNote.default(null),
          expected_sha256: expectedHash,
        })
        .refine(
          ({ id: _, note: __, expected_sha256: ___, ...changes }) =>
            Object.values(changes).some((value) => value !== undefined),
          "must contain at least one field to change besides `note`",
        ),
    )
    .output(
      z.object({
        message: field(message, "The soul is saved. Its previous state is in the history."),
        version: versionNumber.describe("The number of the new state."),
      }),
    )
    .mutation(({ ctx, input: { id: soulId, ...changes } }) => updateSoul(ctx, soulId, changes)),

  delete: keyHolder("souls:write")
    .meta({
      rest: "DELETE /soul/{id}",
      summary: "Delete a soul permanently",
      failures: ["soul_not_found", "not_owner"],
    })
    .input(z.object({ id }))
    .output(z.object({ message: field(message, "The soul is deleted.") }))
    .mutation(({ ctx, input }) => deleteSoul(ctx, input.id)),
});
