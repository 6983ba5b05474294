import { z } from "zod";
import { givenUsername } from "../../accounts/accounts.schema.ts";
import { moderation } from "../../caller/restriction.schema.ts";
import { role } from "../../caller/role.schema.ts";
import { field, utcTime } from "../../fields.schema.ts";
import { count } from "../../souls/souls.schema.ts";
import { router, staff } from "../../trpc/trpc.ts";
import { listPeople } from "./people.service.ts";

/** The search of the hub's staff for people (0062). */
export const peopleRouter = router({
  people: staff()
    .meta({
      rest: "GET /mod/people",
      summary: "List staff and restricted people, or find a person",
      description:
        "For the hub's staff; others get 404. Without `username`: the staff and all who are suspended or silenced, at most 200. With it: that person, or an empty list.",
    })
    .input(z.object({ username: givenUsername.optional() }))
    .output(
      z.object({
        count,
        data: z.array(
          z.object({
            username: field(z.string(), "ada"),
            role,
            joined_at: utcTime,
            moderation,
          }),
        ),
      }),
    )
    .query(({ ctx, input }) => listPeople(ctx, input.username)),
});
