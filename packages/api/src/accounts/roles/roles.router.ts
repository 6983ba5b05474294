import { z } from "zod";
import { role } from "../../caller/role.schema.ts";
import { field, message } from "../../fields.schema.ts";
import { admin, router } from "../../trpc/trpc.ts";
import { givenUsername } from "../accounts.schema.ts";
import { setRole } from "./roles.service.ts";

/** The operator's endpoint for roles (0057). */
export const rolesRouter = router({
  set: admin
    .meta({
      rest: "PUT /admin/role",
      summary: "Set the role of an account",
      description: "Requires ADMIN_TOKEN as Bearer; any other credential is 404.",
      failures: ["user_not_found"],
    })
    .input(z.object({ username: givenUsername, role }))
    .output(z.object({ message: field(message, "ada is a moderator."), role }))
    .mutation(({ ctx, input }) => setRole(ctx, input)),
});
