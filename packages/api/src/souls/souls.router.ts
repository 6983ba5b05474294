import { z } from "zod";
import { id, message } from "../fields.schema.ts";
import { keyHolder, member, open, router } from "../trpc.ts";
import { nftContract } from "../wallet/wallet.schema.ts";
import { categories } from "./categories.ts";
import { listMySouls, listSouls } from "./list-souls.service.ts";
import {
  compatibility,
  content,
  count,
  description,
  domain,
  isPublic,
  limit,
  offset,
  role,
  sort,
  soul,
  soulListEntry,
  soulUrlText,
  title,
} from "./souls.schema.ts";
import { deleteSoul, publishSoul, readSoul, updateSoul } from "./souls.service.ts";

const tag = "Souls";
const total = z.int().meta({ description: "All of them.", examples: [1] });
const found = z.int().meta({
  description:
    "All that can be paged through, counted and not estimated: without `q` all that match, up to 10,100; with `q`, up to 1,000. The same on every page.",
  examples: [1],
});

/** A text of 200,000 characters, each escaped as two \uXXXX, and the other fields. */
const MAX_SOUL_BODY_BYTES = 3 * 1024 * 1024;

const soulChanges = z
  .object({
    title,
    description,
    content,
    role,
    domain,
    compatibility,
    is_public: isPublic,
    nft_contract: nftContract,
  })
  .partial();

/** Specification §4.4. */
export const soulsRouter = router({
  categories: open
    .meta({
      rest: {
        method: "GET",
        path: "/categories",
        shared: true,
        tag,
        summary: "List the categories, the allowed roles",
      },
    })
    .output(
      z.object({
        count,
        data: z.array(
          z.object({
            id,
            name: z.string().meta({ examples: ["Software Engineering"] }),
            slug: z
              .string()
              .meta({ description: "A soul's `role`.", examples: ["software-engineering"] }),
            icon: z.string().meta({ description: "An emoji.", examples: ["💻"] }),
          }),
        ),
      }),
    )
    .query(() => ({ count: categories.length, data: [...categories] })),

  list: open
    .meta({
      rest: {
        method: "GET",
        path: "/souls",
        shared: true,
        tag,
        summary: "Search public souls",
        description:
          "With `q` and without `sort`: exact title, title prefix, then relevance. Otherwise the newest first.",
      },
    })
    .input(
      z.object({
        q: z
          .string()
          .max(200)
          .default("")
          .meta({
            description: "Plain text; nothing in it is an operator. Without it: all.",
            examples: ["code review"],
          }),
        role: z
          .string()
          .max(100)
          .default("")
          .meta({ description: "A category slug.", examples: ["software-engineering"] }),
        sort: sort.optional(),
        limit,
        offset,
      }),
    )
    .output(z.object({ count, total: found, data: z.array(soulListEntry) }))
    .query(({ ctx, input }) => listSouls(ctx, input)),

  mine: member
    .meta({
      rest: {
        method: "GET",
        path: "/my-souls",
        tag,
        summary: "List your own souls, private ones too",
      },
    })
    .input(z.object({ limit, offset }))
    .output(
      z.object({ count, total, data: z.array(soulListEntry.extend({ is_public: isPublic })) }),
    )
    .query(({ ctx, input }) => listMySouls(ctx, input)),

  read: open
    .meta({
      rest: {
        method: "GET",
        path: "/soul/{id}",
        shared: true,
        tag,
        summary: "Read one soul",
        description:
          "Of a soul behind an NFT gate you read the content with a verified wallet that owns a token of `nft_contract`; without, `content` is empty and `content_hidden` true.",
        failures: ["soul_not_found", "chain_unavailable"],
      },
    })
    .input(z.object({ id }))
    .output(z.object({ data: soul }))
    .query(({ ctx, input }) => readSoul(ctx, input.id)),

  publish: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/souls",
        idempotent: true,
        tag,
        summary: "Publish a soul",
        maxBodyBytes: MAX_SOUL_BODY_BYTES,
      },
    })
    .input(
      z.object({
        title,
        description: description.default(""),
        content,
        role: role.default("Other"),
        domain: domain.default(""),
        compatibility: compatibility.default("any"),
        is_public: isPublic.default(1),
        nft_contract: nftContract.default(null),
      }),
    )
    .output(
      z.object({
        message: message.meta({ examples: ["“The Patient Reviewer” is published."] }),
        id,
        url: soulUrlText,
      }),
    )
    .mutation(({ ctx, input }) => publishSoul(ctx, input)),

  update: keyHolder
    .meta({
      rest: {
        method: "PUT",
        path: "/soul/{id}",
        tag,
        summary: "Update a soul",
        description: "Takes any subset of the fields. The state before is kept as one snapshot.",
        maxBodyBytes: MAX_SOUL_BODY_BYTES,
        failures: ["soul_not_found", "not_owner"],
      },
    })
    .input(
      z
        .object({ id, ...soulChanges.shape })
        .refine(
          ({ id: _, ...changes }) => Object.values(changes).some((value) => value !== undefined),
          {
            message: "give at least one field to change",
          },
        ),
    )
    .output(
      z.object({
        message: message.meta({
          examples: ["The soul is saved. The state before is in its history."],
        }),
      }),
    )
    .mutation(({ ctx, input: { id: soulId, ...changes } }) => updateSoul(ctx, soulId, changes)),

  delete: keyHolder
    .meta({
      rest: {
        method: "DELETE",
        path: "/soul/{id}",
        tag,
        summary: "Delete a soul for good",
        failures: ["soul_not_found", "not_owner"],
      },
    })
    .input(z.object({ id }))
    .output(z.object({ message: message.meta({ examples: ["The soul is deleted."] }) }))
    .mutation(({ ctx, input }) => deleteSoul(ctx, input.id)),
});
