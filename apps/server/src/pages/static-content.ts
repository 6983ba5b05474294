import type { LinkPreview, PageData } from "@soul-hub/api";
import { escapeHtml } from "./escape-html.ts";
import { staticRoom } from "./static-room.ts";

const ROOT = '<div id="root"></div>';

const HEADER =
  '<header class="header"><nav class="header__row"><a class="header__home" href="/">Soul Hub</a>' +
  '<a class="header__link" href="/apps">Mini apps</a></nav></header>';

/**
 * Writes the page's title, description and text into `#root` as plain HTML (0019). The browser
 * paints the HTML before any script runs, and readers without JavaScript can read it. The client's
 * first render replaces the HTML. All text is escaped, because it may come from users.
 */
export function withStaticContent(
  page: string,
  { preview, data }: { preview: LinkPreview | null | undefined; data: PageData },
): string {
  const main = staticMain(preview, data);
  return main === "" ? page : page.replace(ROOT, () => `<div id="root">${HEADER}${main}</div>`);
}

function staticMain(preview: LinkPreview | null | undefined, data: PageData): string {
  const { soul, room } = data;
  if (soul && room) return `<main>${staticRoom(soul.data.title, room)}</main>`;
  const content = staticContent(preview, data);
  return content && `<main class="page static-page">${content}</main>`;
}

function staticContent(
  preview: LinkPreview | null | undefined,
  { souls, soul, share }: PageData,
): string {
  if (souls) return heading("Find a soul. Talk to it together.") + soulList(souls.data);
  if (share) return conversation(share.data);
  // A page with a soul but no preview is a room. Only the soul's own page contains the soul's text.
  if (!preview) return soul ? heading(soul.data.title) + lead(soul.data.description) : "";
  return heading(preview.title) + lead(preview.description) + (soul ? soulText(soul.data) : "");
}

const heading = (text: string) => `<h1 class="page__title" dir="auto">${escapeHtml(text)}</h1>`;
const lead = (text: string) => `<p class="page__lead" dir="auto">${escapeHtml(text)}</p>`;
const body = (text: string) => `<div class="panel" dir="auto">${escapeHtml(text)}</div>`;

function soulText({ content, file_type }: { content: string; file_type: string }): string {
  if (file_type !== "full_soul_folder") return body(content);
  const files = Object.entries(JSON.parse(content) as Record<string, string>);
  return files.map(([name, text]) => `<h2>${escapeHtml(name)}</h2>${body(text)}`).join("");
}

type Shared = NonNullable<PageData["share"]>["data"];

function conversation({ title, soul_title, messages }: Shared): string {
  const lines = messages.map(
    ({ sender_name, content }) =>
      `<p><strong dir="auto">${escapeHtml(sender_name)}</strong></p>${body(content)}`,
  );
  return heading(title) + lead(`A conversation with ${soul_title}`) + lines.join("");
}

function soulList(souls: ReadonlyArray<{ id: number; title: string; description: string }>) {
  const items = souls.map(
    ({ id, title, description }) =>
      `<li class="panel"><h2 dir="auto"><a href="/soul/${id}">${escapeHtml(title)}</a></h2>` +
      `<p dir="auto">${escapeHtml(description)}</p></li>`,
  );
  return `<ul class="soul-grid">${items.join("")}</ul>`;
}
