import { z } from "zod";
import { refuseOverriding } from "../db/drivers/database-url.ts";
import { field, message } from "../fields.schema.ts";
import { admin, router } from "../trpc/trpc.ts";
import { beginMove } from "./move.service.ts";

const moveState = z.object({
  step: field(z.enum(["none", "waiting", "copying", "moved", "failed"]), "copying"),
  rows: field(z.int().min(0), 0, "The number of rows that were moved."),
  reason: field(z.string(), "", "The reason of a failure."),
});

/** The operator's endpoints that move an embedded hub to PostgreSQL (0033). */
export const backupRouter = router({
  beginMove: admin
    .meta({
      rest: "POST /admin/move",
      summary: "Move an embedded hub to PostgreSQL",
      description:
        "Requires the operator's ADMIN_TOKEN as Bearer; any other caller gets 404. The hub answers writes with 503 `maintenance` while its data moves. GET /api/admin/move reports the progress.",
    })
    .input(
      z.object({
        database_url: field(
          z
            .string()
            .regex(/^postgres(ql)?:\/\/\S+$/)
            .superRefine(refuseOverriding),
          "postgres://hub:secret@localhost:5432/hub",
          "URL of an empty database, not of a pooler.",
        ),
      }),
    )
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => {
      beginMove(ctx, input.database_url);
      return { message: "The move has begun." };
    }),
  readMove: admin
    .meta({
      rest: "GET /admin/move",
      summary: "Read the progress of a move to PostgreSQL",
      description: "Requires the operator's ADMIN_TOKEN as Bearer; any other caller gets 404.",
    })
    .input(z.object({}))
    .output(moveState)
    .query(({ ctx }) => ctx.hub.move),
});
