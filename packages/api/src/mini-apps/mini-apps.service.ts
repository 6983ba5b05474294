import type { AccountContext } from "../caller/caller.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { visibleSoul } from "../souls/soul-access.ts";
import { type MiniApp, miniApps } from "./catalogue.ts";
import { formMessage } from "./form-message.ts";
import { readForm } from "./form-values.ts";
import { isMatching, matchingSouls } from "./soul-match.ts";

/**
 * Lists the mini apps of a category that contain every word of `q`. An empty parameter matches all
 * apps.
 */
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
 * Reads one mini app with its form and the matching souls, at most 50.
 * @throws HubError `app_not_found`
 */
export async function readMiniApp({ hub, db }: CallContext, slug: string) {
  const app = miniApp(slug);
  // All requests for one mini app in one turn of the event loop share one query for its souls.
  const souls = await hub.souls.list(`mini-app ${slug}`, () => matchingSouls(db, app));
  return { data: { ...app.entry, fields: [...app.fields], souls } };
}

/**
 * Validates a submitted form and formats its message. Stores nothing and calls no model
 * (specification §4.3). The client sends the message to the chat endpoints, which apply the limits
 * of the tier.
 * @throws HubError `app_not_found`, `invalid_input`, `soul_not_found`, `soul_not_eligible`
 */
export async function submitMiniApp(
  ctx: AccountContext,
  { slug, soul_id, fields }: { slug: string; soul_id: number; fields: Record<string, string> },
) {
  const app = miniApp(slug);
  const values = readForm(app.fields, fields);
  await visibleSoul(ctx, soul_id);
  if (!(await isMatching(ctx.db, app, soul_id))) throw new HubError("soul_not_eligible");
  return { slug, soul_id, content: formMessage(app, values), chat_path: `/chat/${soul_id}` };
}

/** @throws HubError `app_not_found` */
export function miniApp(slug: string): MiniApp {
  const app = miniApps.get(slug);
  if (!app) throw new HubError("app_not_found");
  return app;
}
