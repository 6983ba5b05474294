import { z } from "zod";
import { field, id, message, utcTime } from "../../fields.schema.ts";
import { keyHolder, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { roomName } from "../chat.schema.ts";
import { readSummaries, restoreSummary } from "./summary-versions.service.ts";

const versionNumber = field(id, 3, "The number of this version of the summary.");

const summaryVersion = z.object({
  version: versionNumber,
  text: field(
    z.string(),
    "They compared tabs and spaces; ada leans towards tabs.",
    "Empty after a reset.",
  ),
  covers_to: field(z.int().min(0), 399, "The newest message that the text covers; 0 for none."),
  made_by: field(
    z.enum(["fold", "person", "rollback"]),
    "fold",
    "`fold`: a summary run. `person`: a correction or reset. `rollback`: a former version again.",
  ),
  name: field(z.string().optional(), "ada", "The person who made it; absent for a fold."),
  created_at: utcTime,
});
summaryVersion.register(z.globalRegistry, { id: "RoomSummary" });

/** The endpoints of the versions of a room's summary (decisions §5, Memory). */
export const roomSummaryRouter = router({
  summary: keyHolder("chat")
    .meta({
      rest: "GET /room-summary",
      summary: "Read the versions of your room's summary",
      description:
        "For the room's owner. The newest 50 versions are kept. `history` contains those of the room's path, newest first.",
      failures: [...roomFailures, "not_owner"],
    })
    .input(z.object(roomName))
    .output(
      z.object({
        data: z.object({
          current: summaryVersion.nullable().describe("An entry of `history`; null without one."),
          history: z.array(summaryVersion),
        }),
      }),
    )
    .query(async ({ ctx, input }) => ({ data: await readSummaries(ctx, input) })),

  restoreSummary: keyHolder("chat")
    .meta({
      rest: "POST /room-summary",
      summary: "Go back to a former summary of your room",
      description:
        "For the room's owner. The text becomes current as a new version. It covers the same messages as before; later ones are summarised again. With `expected`, the version that you have read as current, nothing changes if another one is current (`summary_changed`).",
      failures: [...roomFailures, "not_owner", "version_not_found", "summary_changed"],
    })
    .input(
      z.object({
        ...roomName,
        version: versionNumber,
        expected: field(id.optional(), 5, "The version that you have read as current."),
      }),
    )
    .output(z.object({ message, version: field(id, 6, "The number of the new version.") }))
    .mutation(({ ctx, input }) => restoreSummary(ctx, input)),
});
