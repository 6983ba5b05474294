import { z } from "zod";
import { roomFailures } from "../chat/access/authorize-room.ts";
import { field, id, message, utcTime } from "../fields.schema.ts";
import { router, staff } from "../trpc/trpc.ts";
import { actOnCase, openCaseOfStaff } from "./actions/act.service.ts";
import { type GivenTarget, givenTargetFields, namesTarget } from "./cases/given-target.schema.ts";
import { listCases } from "./cases/list-cases.service.ts";
import { readCase } from "./cases/read-case.service.ts";
import { excerpt } from "./evidence/excerpt.schema.ts";
import {
  action,
  appeal,
  days,
  messageToAuthor,
  reason,
  target,
  targetKind,
} from "./moderation.schema.ts";
import { pageFields, pageOf } from "./paging.ts";

const revision = field(z.int().min(1), 1, "Counts the changes of the case.");
const caseState = field(z.enum(["open", "appealed", "closed"]), "open");

const listedCase = z.object({
  id,
  revision,
  state: caseState,
  kind: targetKind,
  target,
  reports: field(z.int(), 2, "The number of reports."),
  reasons: field(z.array(reason), ["spam"]),
  opened_at: utcTime,
});

const shownExcerpt = excerpt.extend({ id: field(id, 9), sealed_at: utcTime });
shownExcerpt.register(z.globalRegistry, { id: "Excerpt" });

const decision = z.object({
  id: field(id, 5),
  case_id: field(id, 1),
  action,
  reason,
  message: field(z.string(), "Please take the address out."),
  decided_by: field(z.string(), "mia", "A username, or `operator`."),
  created_at: utcTime,
  until: field(utcTime.nullable(), null),
  undone_at: field(utcTime.nullable(), null, "When a restore ended its effect."),
  appeal: appeal.nullable(),
});
decision.register(z.globalRegistry, { id: "Decision" });

const shownCase = listedCase.omit({ reports: true }).extend({
  excerpt: shownExcerpt
    .nullable()
    .describe(
      "The text as it was reported last. Null after the time for an appeal, and for a private soul that nobody reported.",
    ),
  earlier_excerpts: z
    .array(shownExcerpt)
    .describe("Other texts that were reported before, at most 9: the first and the newest ones."),
  reports: z
    .array(
      z.object({
        id,
        reporter_name: field(z.string(), "ben"),
        reason,
        note: field(z.string(), "It shows my address."),
        created_at: utcTime,
      }),
    )
    .describe("The first 100 and the newest 100."),
  decisions: z.array(decision).describe("Newest first."),
  history: z.array(decision).describe("The newest 50 decisions of other cases about the account."),
});

/** The queue of the hub's staff (0062). */
export const casesRouter = router({
  cases: staff()
    .meta({
      rest: "GET /mod/cases",
      summary: "List the cases of moderation",
      description:
        "For the hub's staff; others get 404. Cases that wait come oldest first, decided ones newest first. Cases about you are left out.",
    })
    .input(z.object({ state: caseState.default("open"), ...pageFields }))
    .output(pageOf(listedCase))
    .query(({ ctx, input }) => listCases(ctx, input)),

  case: staff()
    .meta({
      rest: "GET /mod/cases/{id}",
      summary: "Read a case of moderation",
      description: "For the hub's staff; others get 404. The audit log holds each read.",
      failures: ["case_not_found"],
    })
    .input(z.object({ id }))
    .output(z.object({ data: shownCase }))
    .query(({ ctx, input }) => readCase(ctx, input.id)),

  openCase: staff()
    .meta({
      rest: "POST /mod/cases",
      summary: "Open a case without a report",
      description:
        "For the hub's staff; others get 404. You may open a case of what you may see. Of a soul the case holds what everybody may read. The open case of the same target is returned.",
      body: { kind: "soul", soul_id: 7 },
      failures: [...roomFailures, "message_not_found", "user_not_found"],
    })
    .input(z.object(givenTargetFields).superRefine(namesTarget))
    .output(z.object({ id, revision }))
    .mutation(({ ctx, input }) => openCaseOfStaff(ctx, input as GivenTarget)),

  act: staff()
    .meta({
      rest: "POST /mod/cases/{id}/act",
      summary: "Decide a case",
      description:
        "For the hub's staff; others get 404. The account concerned gets a notice of every action but `dismiss`. `restore` takes back what the decisions of the case did. Only an admin acts on staff, and never on a case about themselves. An appeal is decided by other staff than the decision, if there is any that can.",
      body: {
        revision: 1,
        action: "hide_soul",
        reason: "private_data",
        message_to_author: "Please take the address out.",
      },
      failures: [
        "case_not_found",
        "case_changed",
        "not_owner",
        "own_decision",
        "message_not_found",
      ],
    })
    .input(
      z
        .object({
          id,
          revision,
          action,
          reason: reason.default("other"),
          message_to_author: messageToAuthor.optional(),
          days: days.default(null),
        })
        .refine((given) => given.action === "dismiss" || given.message_to_author !== undefined, {
          path: ["message_to_author"],
          message: "is required",
        })
        .refine((given) => given.action !== "silence" || given.days !== null, {
          path: ["days"],
          message: "is required for silence",
        })
        .refine(
          ({ action: given, days: n }) => n === null || given === "silence" || given === "suspend",
          {
            path: ["days"],
            message: "is for silence and suspend alone",
          },
        ),
    )
    .output(z.object({ message, decision_id: field(id, 5), revision }))
    .mutation(({ ctx, input: { message_to_author = "", ...input } }) =>
      actOnCase(ctx, { ...input, message: message_to_author }),
    ),
});
