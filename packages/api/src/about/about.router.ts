import { z } from "zod";
import { offersPasskeys } from "../accounts/proof/passkey-answers.ts";
import { field } from "../fields.schema.ts";
import { open, router } from "../trpc/trpc.ts";

const days = (example: number, what: string) =>
  field(z.int().min(0), example, `Days until ${what}; 0 keeps them.`);
const url = (example: string) => field(z.string().nullable(), example);

/** The endpoint that describes the hub (0058). */
export const aboutRouter = router({
  hub: open("public")
    .meta({
      rest: "GET /hub",
      summary: "Read what this hub offers and allows",
      shared: true,
      whileSuspended: true,
    })
    .output(
      z.object({
        name: field(z.string(), "Soul Hub"),
        version: field(z.string(), "0.1.0"),
        registration: field(z.enum(["open", "invite", "closed"]), "open"),
        guests: field(z.boolean(), true, "True if callers without an account may chat."),
        mail: field(z.boolean(), false, "True if the hub sends mail."),
        passkeys: field(z.boolean(), false, "True if accounts may sign in with passkeys."),
        email_verification: field(z.enum(["off", "optional", "required"]), "optional"),
        contact: url("mailto:operator@example.org"),
        terms_url: url("https://example.org/terms"),
        privacy_url: url("https://example.org/privacy"),
        retention: z.object({
          rooms_days: days(365, "a silent room is deleted"),
          guest_rooms_days: days(30, "a guest's silent room is deleted"),
          usage_days: days(90, "the counts of model calls are deleted"),
          reports_days: days(180, "a decided case is deleted with its reports"),
          audit_days: days(400, "rows of the audit log are deleted"),
          deletion_grace_days: field(
            z.int().min(0),
            14,
            "Days in which the owner of a closed account can undo its deletion; 0 deletes it at once.",
          ),
        }),
      }),
    )
    .query(({ ctx }) => {
      const { version, registration, guests, about, ...config } = ctx.hub.config;
      return {
        name: "Soul Hub",
        version,
        registration,
        guests,
        mail: ctx.hub.mail !== null,
        passkeys: offersPasskeys(ctx),
        email_verification: config.emailVerification,
        contact: about.contact,
        terms_url: about.termsUrl,
        privacy_url: about.privacyUrl,
        retention: {
          rooms_days: config.retainRoomsDays,
          guest_rooms_days: config.retainGuestRoomsDays,
          usage_days: config.retainUsageDays,
          reports_days: config.retainReportsDays,
          audit_days: config.retainAuditDays,
          deletion_grace_days: config.deletionGraceDays,
        },
      };
    }),
});
