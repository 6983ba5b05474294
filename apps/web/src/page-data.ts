import type { PageData } from "@soul-hub/api";
import { loadMarkdown } from "./components/room/messages/load-markdown.ts";
import {
  categoryList,
  firstLines,
  queryClient,
  type SoulAnswer,
  sharedConversation,
  soulById,
  soulList,
} from "./queries.ts";

/**
 * Puts the data that the server inlined into the page (0019) into the query cache, and loads the code
 * that renders it.
 */
export async function loadInlinedData(): Promise<void> {
  const text = document.getElementById("page-data")?.textContent;
  if (!text) return;
  const { categories, souls, soul, share, room } = JSON.parse(text) as PageData;
  // The data of a page from the browser's history may be old. It is shown, and fetched again.
  const [visit] = performance.getEntriesByType("navigation");
  const isOld = (visit as PerformanceNavigationTiming | undefined)?.type === "back_forward";
  const as = isOld ? { updatedAt: 0 } : {};
  if (categories) queryClient.setQueryData(categoryList.queryKey, categories, as);
  if (soul) queryClient.setQueryData(soulById(soul.data.id).queryKey, soul as SoulAnswer, as);
  const [, , id = "", session = ""] = location.pathname.split("/");
  // Messages of an old page may have been removed since.
  if (room && !isOld) queryClient.setQueryData(firstLines(Number(id), session), room.messages);
  if (share) queryClient.setQueryData(sharedConversation(id).queryKey, share, as);
  if (souls) {
    const { queryKey } = soulList({ q: "", role: "", sort: undefined, match: undefined });
    queryClient.setQueryData(queryKey, { pages: [souls], pageParams: [0] }, as);
  }
  // Replies are Markdown. With its code, the first render is also the last one of their text.
  if (room?.messages.some(({ role }) => role === "assistant")) {
    // The component that needs the code reports a failure.
    await loadMarkdown().catch(() => {});
  }
}
