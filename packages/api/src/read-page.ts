import { setTimeout as sleep } from "node:timers/promises";
import type { Hub } from "./context.ts";
import { HubError } from "./errors.ts";
import { countPageRead, type LinkPreview, previewLink } from "./link-previews.ts";
import { type PageData, readPageData } from "./page-data.ts";

/** Longer than a database that is well needs; nobody looks at a white page for what the page can ask for. */
const DATA_MS = 500;

export interface ReadPage {
  /** As of {@link previewLink}. */
  preview: LinkPreview | null | undefined;
  data: PageData;
}

/**
 * What the hub says of an address within its page.
 * @throws HubError `rate_limited` where the page is about something that the database knows
 */
export async function readPage(
  hub: Hub,
  { pathname, hasQuery, ip }: { pathname: string; hasQuery: boolean; ip: string },
): Promise<ReadPage> {
  const [, place = ""] = pathname.split("/");
  // Once for both, and before either is read.
  if (place === "soul" || place === "u") await countPageRead(hub, ip);
  const [preview, data] = await Promise.all([
    previewLink(hub, pathname),
    hasQuery ? {} : readInTime(hub, pathname, ip),
  ]);
  return { preview, data };
}

/** What can't be read now the page asks for itself, and says why it isn't there. */
async function readInTime(hub: Hub, pathname: string, ip: string): Promise<PageData> {
  const reading = readPageData(hub, pathname, ip).catch((error: unknown) => {
    const isRefused = error instanceof HubError && error.code === "rate_limited";
    if (!isRefused) hub.log.warn({ err: error }, "a page goes without its data");
    return {};
  });
  return Promise.race([reading, sleep(DATA_MS, {}, { ref: false })]);
}
