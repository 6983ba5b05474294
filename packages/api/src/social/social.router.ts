import { z } from "zod";
import { id, message, utcTime } from "../fields.schema.ts";
import { avgRating, soulListEntry, soulUrlText, totalRatings } from "../souls/souls.schema.ts";
import { keyHolder, member, open, router } from "../trpc.ts";
import { readProfile } from "./profile.service.ts";
import { forkSoul, rateSoul, readMarks, toggleLike } from "./social.service.ts";

const tag = "Profiles and social";

const rating = z
  .int()
  .min(1)
  .max(5)
  .meta({ examples: [5] });

/** Specification §4.5. */
export const socialRouter = router({
  /** Additive (docs/decisions/0006): a page that offers to like must know whether you do. */
  marks: member
    .meta({
      rest: {
        method: "GET",
        path: "/my-marks",
        tag,
        summary: "Read your own like and rating of a soul",
        failures: ["soul_not_found"],
      },
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        liked: z.boolean().meta({ examples: [true] }),
        rating: rating.nullable().meta({ description: "1 to 5; null: you have not rated it." }),
      }),
    )
    .query(({ ctx, input }) => readMarks(ctx, input.soul_id)),

  like: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/like",
        idempotent: true,
        tag,
        summary: "Like a soul, or take the like back",
        failures: ["soul_not_found"],
      },
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        liked: z.boolean().meta({ description: "As it is now.", examples: [true] }),
        message: message.meta({ examples: ["You like “The Patient Reviewer”."] }),
      }),
    )
    .mutation(({ ctx, input }) => toggleLike(ctx, input.soul_id)),

  rate: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/rate",
        idempotent: true,
        tag,
        summary: "Rate a soul",
        description: "One rating per account: a second one replaces the first.",
        failures: ["soul_not_found"],
      },
    })
    .input(z.object({ soul_id: id, rating }))
    .output(
      z.object({
        message: message.meta({ examples: ["Your rating is 5 of 5."] }),
        avg_rating: avgRating,
        total_ratings: totalRatings,
      }),
    )
    .mutation(({ ctx, input }) => rateSoul(ctx, input)),

  fork: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/fork",
        idempotent: true,
        tag,
        summary: "Copy a public soul into your own workspace",
        description:
          "The copy starts private, with the NFT gate of the original. It lives on when that is deleted.",
        failures: ["soul_not_found", "soul_not_public", "nft_required", "chain_unavailable"],
      },
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        new_soul_id: id.meta({ examples: [2] }),
        url: soulUrlText.meta({ examples: ["https://hub.example.org/soul/2"] }),
        message: message.meta({
          examples: [
            "“The Patient Reviewer” is forked. The copy is yours alone until you publish it.",
          ],
        }),
      }),
    )
    .mutation(({ ctx, input }) => forkSoul(ctx, input.soul_id)),

  profile: open
    .meta({
      rest: {
        method: "GET",
        path: "/profile",
        shared: true,
        tag,
        summary: "Read somebody's public profile",
        description: "Counts and lists public souls alone: the newest 100.",
        failures: ["user_not_found"],
      },
    })
    .input(
      z.object({
        username: z
          .string()
          .max(254)
          .meta({ description: "Case is ignored.", examples: ["ada"] }),
      }),
    )
    .output(
      z.object({
        user: z.object({
          username: z.string().meta({ examples: ["ada"] }),
          joined_at: utcTime,
        }),
        stats: z.object({
          total_souls: z.int().meta({ examples: [1] }),
          total_likes: z.int().meta({ examples: [42] }),
          total_forks: z.int().meta({ examples: [3] }),
        }),
        souls: z.array(soulListEntry),
      }),
    )
    .query(({ ctx, input }) => readProfile(ctx, input.username)),
});
