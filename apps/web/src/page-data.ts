import type { PageData } from "@soul-hub/api";
import {
  categoryList,
  queryClient,
  type SoulAnswer,
  sharedConversation,
  soulById,
  soulList,
} from "./queries.ts";

/** Puts the data that the server inlined into the page (0019) into the query cache. */
export function loadInlinedData(): void {
  const text = document.getElementById("page-data")?.textContent;
  if (!text) return;
  const { categories, souls, soul, share } = JSON.parse(text) as PageData;
  // The data of a page from the browser's history may be old. It is shown, and fetched again.
  const [visit] = performance.getEntriesByType("navigation");
  const isOld = (visit as PerformanceNavigationTiming | undefined)?.type === "back_forward";
  const as = isOld ? { updatedAt: 0 } : {};
  if (categories) queryClient.setQueryData(categoryList.queryKey, categories, as);
  if (soul) queryClient.setQueryData(soulById(soul.data.id).queryKey, soul as SoulAnswer, as);
  if (share) {
    // The share's id is in the address.
    const id = location.pathname.split("/")[2] ?? "";
    queryClient.setQueryData(sharedConversation(id).queryKey, share, as);
  }
  if (souls) {
    const { queryKey } = soulList({ q: "", role: "", sort: undefined });
    queryClient.setQueryData(queryKey, { pages: [souls], pageParams: [0] }, as);
  }
}
