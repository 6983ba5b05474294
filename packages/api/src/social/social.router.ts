import { z } from "zod";
import { givenUsername } from "../accounts/accounts.schema.ts";
import { field, id, message, utcTime } from "../fields.schema.ts";
import { avgRating, soulListEntry, soulUrlText, totalRatings } from "../souls/souls.schema.ts";
import { keyHolder, member, open, router } from "../trpc/trpc.ts";
import { readProfile } from "./profile.service.ts";
import { forkSoul, rateSoul, readMarks, toggleLike } from "./social.service.ts";

const rating = field(z.int().min(1).max(5), 5);

/** Profiles and social endpoints (specification §4.5). */
export const socialRouter = router({
  /**
   * An addition to the specification: a soul's page shows the caller's own like and rating (0006).
   */
  marks: member("social")
    .meta({
      rest: "GET /my-marks",
      summary: "Read your own like and rating of a soul",
      failures: ["soul_not_found"],
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        liked: field(z.boolean(), true),
        rating: rating.nullable().describe("1 to 5; null if you have not rated the soul."),
      }),
    )
    .query(({ ctx, input }) => readMarks(ctx, input.soul_id)),

  like: keyHolder("social")
    .meta({
      rest: "POST /like",
      needsVerified: true,
      idempotent: true,
      summary: "Like a soul or remove the like",
      failures: ["soul_not_found", "blocked"],
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        liked: field(z.boolean(), true, "State after the call."),
        message: field(message, "You like “The Patient Reviewer”."),
      }),
    )
    .mutation(({ ctx, input }) => toggleLike(ctx, input.soul_id)),

  rate: keyHolder("social")
    .meta({
      rest: "POST /rate",
      needsVerified: true,
      writes: true,
      idempotent: true,
      summary: "Rate a soul",
      description: "One rating per account. A new rating replaces the previous one.",
      failures: ["soul_not_found", "blocked"],
    })
    .input(z.object({ soul_id: id, rating }))
    .output(
      z.object({
        message: field(message, "Your rating is 5 of 5."),
        avg_rating: avgRating,
        total_ratings: totalRatings,
      }),
    )
    .mutation(({ ctx, input }) => rateSoul(ctx, input)),

  fork: keyHolder("souls:write")
    .meta({
      rest: "POST /fork",
      needsVerified: true,
      writes: true,
      idempotent: true,
      summary: "Copy a public soul into your own workspace",
      description:
        "The copy is private at first and keeps the NFT gate. It remains when the original is deleted.",
      failures: [
        "soul_not_found",
        "soul_not_public",
        "nft_required",
        "chain_unavailable",
        "blocked",
      ],
    })
    .input(z.object({ soul_id: id }))
    .output(
      z.object({
        new_soul_id: field(id, 2),
        url: field(soulUrlText, "https://hub.example.org/soul/2"),
        message: field(
          message,
          "“The Patient Reviewer” is forked. The copy is private until you publish it.",
        ),
      }),
    )
    .mutation(({ ctx, input }) => forkSoul(ctx, input.soul_id)),

  profile: open("public")
    .meta({
      rest: "GET /profile",
      shared: true,
      summary: "Read a public profile",
      description: "Covers public souls only. Lists the newest 100 and counts all.",
      failures: ["user_not_found"],
    })
    .input(
      z.object({
        username: field(givenUsername, "ada", "Regardless of case."),
      }),
    )
    .output(
      z.object({
        user: z.object({
          username: field(z.string(), "ada"),
          joined_at: utcTime,
        }),
        stats: z.object({
          total_souls: field(z.int(), 1),
          total_likes: field(z.int(), 42),
          total_forks: field(z.int(), 3),
        }),
        souls: z.array(soulListEntry),
      }),
    )
    .query(({ ctx, input }) => readProfile(ctx, input.username)),
});
