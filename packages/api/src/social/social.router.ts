import { z } from "zod";
import { id, message, utcTime } from "../fields.schema.ts";
import { soulListEntry } from "../souls/souls.schema.ts";
import { keyHolder, open, router } from "../trpc.ts";
import { readProfile } from "./profile.service.ts";
import { forkSoul, rateSoul, toggleLike } from "./social.service.ts";

const tag = "Profiles and social";

/** Specification §4.5. */
export const socialRouter = router({
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
    .output(z.object({ liked: z.boolean(), message }))
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
    .input(
      z.object({
        soul_id: id,
        rating: z
          .int()
          .min(1)
          .max(5)
          .meta({ examples: [5] }),
      }),
    )
    .output(z.object({ message, avg_rating: z.number(), total_ratings: z.int() }))
    .mutation(({ ctx, input }) => rateSoul(ctx, input)),

  fork: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/fork",
        idempotent: true,
        tag,
        summary: "Copy a public soul into your own workspace",
        description: "The copy starts private. It lives on when the original is deleted.",
        failures: ["soul_not_found", "soul_not_public"],
      },
    })
    .input(z.object({ soul_id: id }))
    .output(z.object({ new_soul_id: id, url: z.string(), message }))
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
        user: z.object({ username: z.string(), joined_at: utcTime }),
        stats: z.object({ total_souls: z.int(), total_likes: z.int(), total_forks: z.int() }),
        souls: z.array(soulListEntry),
      }),
    )
    .query(({ ctx, input }) => readProfile(ctx, input.username)),
});
