import type { AccountContext, CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { visibleSoul } from "../souls/soul-access.ts";
import { type MiniApp, miniApps } from "./catalogue.ts";
import { formMessage } from "./form-message.ts";
import { readForm } from "./form-values.ts";
import { isSuitable, suitableSouls } from "./soul-match.ts";

/** The catalogue, or what of it is in the category and holds every word of `q` as text. */
export function listMiniApps({ category, q }: { category: string; q: string }) {
  const words = q.toLowerCase().split(/\s+/);
  const data = [...miniApps.values()]
    .map(({ entry }) => entry)
    .filter((entry) => category === "" || entry.category === category)
    .filter(({ title, description, search_keywords, category: slug }) => {
      const text = [title, description, search_keywords, slug].join("\n").toLowerCase();
      return words.every((word) => text.includes(word));
    });
  return { count: data.length, data };
}

/**
 * One app with its form and the souls it can be used with.
 * @throws HubError `app_not_found`
 */
export async function readMiniApp({ hub, db }: CallContext, slug: string) {
  const app = miniApp(slug);
  // Everybody who looks at the app in this turn of the event loop shares one query.
  const souls = await hub.souls.list(`mini-app ${slug}`, () => suitableSouls(db, app));
  return { data: { ...app.entry, fields: [...app.fields], souls } };
}

/**
 * Makes the chat message of a filled-in form. Nothing is stored and no model is called: the client
 * sends the message through the chat, which knows tiers and limits (specification §4.3).
 * @throws HubError `app_not_found`, `invalid_input`, `soul_not_found`, `soul_not_eligible`
 */
export async function submitMiniApp(
  ctx: AccountContext,
  { slug, soul_id, fields }: { slug: string; soul_id: number; fields: Record<string, string> },
) {
  const app = miniApp(slug);
  const filled = readForm(app.fields, fields);
  await visibleSoul(ctx, soul_id);
  if (!(await isSuitable(ctx.db, app, soul_id))) throw new HubError("soul_not_eligible");
  return {
    slug,
    soul_id,
    content: formMessage(app, filled),
    chat_path: `/chat/${soul_id}`,
  };
}

function miniApp(slug: string): MiniApp {
  const app = miniApps.get(slug);
  if (!app) throw new HubError("app_not_found");
  return app;
}
