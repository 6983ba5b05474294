import { z } from "zod";
import { id } from "../fields.schema.ts";
import { member, open, router } from "../trpc.ts";
import { exampleApp, exampleForm } from "./example-app.ts";
import { filledIn, miniAppDetail, miniAppEntry } from "./mini-apps.schema.ts";
import { listMiniApps, readMiniApp, submitMiniApp } from "./mini-apps.service.ts";

const tag = "Mini apps";

/** Specification §4.3. */
export const miniAppsRouter = router({
  list: open
    .meta({
      rest: {
        method: "GET",
        path: "/apps",
        shared: true,
        tag,
        summary: "List the mini apps, or read one",
        description:
          "Without `slug`, `data` is the list. With it, `data` is that app with its form and the souls to use it with; `category` and `q` then say nothing.",
        answers: {
          "The list": { count: 1, data: [exampleApp] },
          "One app, with slug": { data: { ...exampleApp, ...exampleForm } },
        },
        failures: ["app_not_found"],
      },
    })
    .input(
      z.object({
        category: z
          .string()
          .default("")
          .meta({ description: "A category slug.", examples: ["software-engineering"] }),
        q: z
          .string()
          .max(200)
          .default("")
          .meta({
            description:
              "Plain text: words that all stand in title, description, keywords or category.",
            examples: ["review"],
          }),
        slug: z
          .string()
          .default("")
          .meta({ description: "Reads this one app.", examples: ["code-review"] }),
      }),
    )
    .output(
      z.object({
        count: z
          .int()
          .optional()
          .meta({ description: "Entries in `data`; only without `slug`.", examples: [1] }),
        data: z.union([z.array(miniAppEntry), miniAppDetail]),
      }),
    )
    .query(({ ctx, input: { slug, ...filter } }) =>
      slug === "" ? listMiniApps(filter) : readMiniApp(ctx, slug),
    ),

  submit: member
    .meta({
      rest: {
        method: "POST",
        path: "/apps",
        tag,
        summary: "Turn a filled-in form into a chat message",
        description:
          "Calls no model and stores nothing. Open a chat at `chat_path`, followed by `/` and a session token, and send `content` there.",
        failures: ["app_not_found", "soul_not_found", "soul_not_eligible"],
      },
    })
    .input(
      z.object({
        slug: z.string().meta({ examples: ["code-review"] }),
        soul_id: id.meta({ description: "A public soul that matches a theme keyword of the app." }),
        fields: filledIn,
      }),
    )
    .output(
      z.object({
        slug: z.string().meta({ examples: ["code-review"] }),
        soul_id: id,
        content: z.string().meta({
          description: "The message, as Markdown.",
          examples: [
            "**Code Review**\n\nPlease review this code.\n\n- **Language and framework:** TypeScript",
          ],
        }),
        chat_path: z.string().meta({ examples: ["/chat/1"] }),
      }),
    )
    .mutation(({ ctx, input }) => submitMiniApp(ctx, input)),
});
