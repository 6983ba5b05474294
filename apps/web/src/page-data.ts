import type { PageData } from "@soul-hub/api";
import { categoryList, queryClient, soulById, soulList } from "./queries.ts";

/**
 * What the server has put into the page for its first look (apps/server/src/pages): it stands
 * there as if it had been asked for just now.
 */
export function takePageData(): void {
  const text = document.getElementById("page-data")?.textContent;
  if (!text) return;
  const { categories, souls, soul } = JSON.parse(text) as PageData;
  // Whoever goes back may get the page as it was: it is shown, and asked for again.
  const [visit] = performance.getEntriesByType("navigation");
  const isOld = (visit as PerformanceNavigationTiming | undefined)?.type === "back_forward";
  const as = isOld ? { updatedAt: 0 } : {};
  if (categories) queryClient.setQueryData(categoryList.queryKey, categories, as);
  if (soul) queryClient.setQueryData(soulById(soul.data.id).queryKey, soul, as);
  if (souls) {
    const { queryKey } = soulList({ q: "", role: "", sort: undefined });
    queryClient.setQueryData(queryKey, { pages: [souls], pageParams: [0] }, as);
  }
}
