import { z } from "zod";
import { field, message, utcTime } from "../../fields.schema.ts";
import { member, router } from "../../trpc/trpc.ts";
import { givenUsername } from "../accounts.schema.ts";
import { blockAccount, listBlocks, unblockAccount } from "./blocks.service.ts";

const person = z.object({ username: field(givenUsername, "mallory", "Regardless of case.") });

/** Blocked people (0064). */
export const blocksRouter = router({
  blocks: member("main")
    .meta({
      rest: "GET /blocks",
      summary: "List the people you have blocked",
      description: "The latest first.",
    })
    .output(
      z.object({
        count: field(z.int(), 1),
        data: z.array(z.object({ username: field(z.string(), "mallory"), created_at: utcTime })),
      }),
    )
    .query(({ ctx }) => listBlocks(ctx)),

  block: member("main")
    .meta({
      rest: "PUT /blocks",
      summary: "Block a person",
      description:
        "A blocked person can't fork, like or rate your souls and can't enter rooms you own. Live connections to these end at once. Nobody is told. You can block 1,000 people.",
      failures: ["user_not_found", "limit_reached"],
    })
    .input(person)
    .output(z.object({ message: field(message, "mallory is blocked.") }))
    .mutation(({ ctx, input }) => blockAccount(ctx, input.username)),

  unblock: member("main")
    .meta({
      rest: "DELETE /blocks",
      summary: "Unblock a person",
      failures: ["user_not_found"],
    })
    .input(person)
    .output(z.object({ message: field(message, "mallory is not blocked.") }))
    .mutation(({ ctx, input }) => unblockAccount(ctx, input.username)),
});
