import { setTimeout as sleep } from "node:timers/promises";
import type { Hub } from "../context.ts";
import { HubError } from "../errors.ts";
import { countPageRead, type LinkPreview, previewLink } from "./link-previews.ts";
import { type PageData, type PageRequest, readPageData } from "./page-data.ts";

/**
 * Milliseconds after which a page is served without its data. The client then queries the data
 * itself.
 */
const DATA_MS = 500;

export interface ReadPage {
  /** The link preview, as {@link previewLink} returns it. */
  preview: LinkPreview | null | undefined;
  data: PageData;
}

/**
 * Reads the parts of a page that the server inlines in its HTML: the link preview and the data.
 * @throws HubError `rate_limited` for pages that read the database
 */
export async function readPage(
  hub: Hub,
  { hasQuery, ...request }: PageRequest & { hasQuery: boolean },
): Promise<ReadPage> {
  const { pathname, ip } = request;
  const [, section = ""] = pathname.split("/");
  // The preview and the data of one page count as one read against the rate limit.
  if (counted.has(section)) await countPageRead(hub, ip);
  const [preview, data] = await Promise.all([
    previewLink(hub, pathname),
    hasQuery ? {} : readInTime(hub, request),
  ]);
  return { preview, data };
}

/** Failures that are no fault of the hub. The page itself says that the share is gone. */
const expected: ReadonlySet<string> = new Set(["rate_limited", "share_not_found"]);

/** Sections whose previews read the database. */
const counted: ReadonlySet<string> = new Set(["soul", "u", "share"]);

/**
 * Reads a page's data, or returns no data after a failure or a delay. The client then queries the
 * data itself.
 */
async function readInTime(hub: Hub, request: PageRequest): Promise<PageData> {
  const reading = readPageData(hub, request).catch((error: unknown) => {
    const isRefused = error instanceof HubError && expected.has(error.code);
    if (!isRefused) hub.log.warn({ err: error }, "a page is served without its data");
    return {};
  });
  return Promise.race([reading, sleep(DATA_MS, {}, { ref: false })]);
}
