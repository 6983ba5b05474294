import type { PageData } from "@soul-hub/api";
import { escapeHtml } from "./escape-html.ts";

type Room = NonNullable<PageData["room"]>;
type Line = Room["messages"][number];

/**
 * Writes the newest messages of a room with the classes of the page's own components. The messages
 * are therefore in their places before a script runs (0073).
 */
export function staticRoom(title: string, { messages }: Room): string {
  return (
    '<div class="room static-room"><div class="room__main">' +
    `<header class="room-bar">${face}<div class="room-bar__names"><h1 dir="auto">${escapeHtml(title)}</h1></div></header>` +
    `<section class="room__scroll"><div class="room__lines">${messages.map(line).join("")}</div></section>` +
    '<div class="static-room__foot"></div></div><aside class="room__aside"></aside></div>'
  );
}

/** The place of a picture, which a script draws. */
const face = '<span class="static-room__face"></span>';

const line = (message: Line) => {
  const { role, sender_name, content, audience } = message;
  const isOffRecord = audience === "people";
  const mark = isOffRecord ? '<span class="line__off-record">off the record</span>' : "";
  return (
    `<article class="line" data-by="${role}" data-off-record="${isOffRecord}">${face}` +
    '<div class="line__body"><div class="line__head">' +
    `<p class="line__name" dir="auto">${escapeHtml(sender_name)}</p>${mark}</div>` +
    `<p class="${textClass(message)}" dir="auto">${escapeHtml(content)}</p></div></article>`
  );
};

function textClass({ role, removed }: Line): string {
  if (removed) return "line__removed";
  return role === "user" ? "line__said" : "line__plain";
}
