import { z } from "zod";
import { field, id } from "../fields.schema.ts";
import { member, open, router } from "../trpc/trpc.ts";
import { formValues, miniAppDetail, miniAppEntry, slug } from "./mini-apps.schema.ts";
import { listMiniApps, miniApp, readMiniApp, submitMiniApp } from "./mini-apps.service.ts";

/** The mini app in the examples of the OpenAPI document, and a soul that matches the app. */
const { entry, fields } = miniApp("code-review");
const soul = { id: 1, title: "The Patient Reviewer", description: "Reads code like a colleague." };

/** The mini app endpoints (specification §4.3). */
export const miniAppsRouter = router({
  list: open("public")
    .meta({
      rest: "GET /apps",
      shared: true,
      summary: "List the mini apps, or read one",
      description:
        "Without `slug`, `data` is the list. With `slug`, `data` is that app with its form and the matching souls; `category` and `q` are then ignored.",
      answers: {
        "The list": { count: 1, data: [entry] },
        "One app, with slug": { data: { ...entry, fields: [...fields], souls: [soul] } },
      },
      failures: ["app_not_found"],
    })
    .input(
      z.object({
        category: field(z.string().default(""), "software-engineering", "A category slug."),
        q: field(
          z.string().max(200).default(""),
          "review",
          "Plain text. Each word must occur in the title, description, keywords or category.",
        ),
        slug: field(z.string().default(""), "code-review", "Reads this one app."),
      }),
    )
    .output(
      z.object({
        count: field(z.int().optional(), 1, "Entries in `data`; only without `slug`."),
        data: z.union([z.array(miniAppEntry), miniAppDetail]),
      }),
    )
    .query(({ ctx, input }) =>
      input.slug === "" ? listMiniApps(input) : readMiniApp(ctx, input.slug),
    ),

  submit: member("chat")
    .meta({
      rest: "POST /apps",
      summary: "Format a form as a chat message",
      description:
        "Calls no model and stores nothing. Open the chat at `chat_path`, `/` and a session token, and send `content` there.",
      failures: ["app_not_found", "soul_not_found", "soul_not_eligible"],
    })
    .input(
      z.object({
        slug,
        soul_id: id.meta({ description: "A public soul that matches a theme keyword of the app." }),
        fields: formValues,
      }),
    )
    .output(
      z.object({
        slug,
        soul_id: id,
        content: field(
          z.string(),
          "**Code Review**\n\nPlease review this code.\n\n- **Language and framework:** TypeScript",
          "The message, as Markdown.",
        ),
        chat_path: field(z.string(), "/chat/1"),
      }),
    )
    .mutation(({ ctx, input }) => submitMiniApp(ctx, input)),
});
