import { username as usernameShape } from "../accounts/accounts.schema.ts";
import { isShown } from "../accounts/standing/shown-account.queries.ts";
import { countedAs } from "../caller/caller.ts";
import { findShare } from "../chat/sharing/read-share.service.ts";
import type { Hub } from "../context.ts";
import { HubError } from "../errors.ts";
import { miniApps } from "../mini-apps/catalogue.ts";
import type { Soul } from "../souls/souls.schema.ts";

/** The Open Graph preview of a shared link. Its texts are from users and must be escaped. */
export interface LinkPreview {
  title: string;
  description: string;
  /** The preview's Open Graph type, `og:type`. */
  type: "article" | "profile" | "website";
  /** The path of the preview's picture; undefined for the hub's own picture. */
  picture?: string;
  /** The path of the same page as Markdown. */
  markdown?: string;
  /** True for a page that only the holders of its link should find: robots must not index it. */
  isUnlisted?: true;
}

/** What the picture of a soul's preview shows. */
export type PicturedSoul = Pick<Soul, "id" | "title" | "username">;

/** The range of soul ids in one file of the sitemap. The protocol allows 50,000 URLs in a file. */
const SITEMAP_BLOCK_IDS = 40_000;

/**
 * Counts a request for a page against the read limit of the client's address (0009). For pages that
 * read the database.
 * @throws HubError `rate_limited`
 */
export const countPageRead = async (hub: Hub, ip: string, points = 1): Promise<void> =>
  hub.rateLimits?.("read", countedAs({ kind: "refused" }, ip, "read"), { points });

/**
 * Reads the link preview of a page.
 * @returns undefined if the page has no preview of its own, as for a gated soul; null if the page
 *   does not exist or shows a private soul, whose existence is not revealed
 */
export async function previewLink(
  hub: Hub,
  pathname: string,
): Promise<LinkPreview | null | undefined> {
  const [, section = "", name = "", more] = pathname.split("/");
  if (more !== undefined) return undefined;
  switch (section) {
    case "soul":
      return previewSoul(hub, name);
    case "u":
      return previewProfile(hub, name);
    case "apps":
      return name === "" ? undefined : previewMiniApp(name);
    case "share":
      return previewShare(hub, name);
    case "join":
      return invitePreview;
    default:
      return undefined;
  }
}

/**
 * Reads the soul that a page's path names. An id in another form, such as with leading zeros, finds
 * no soul.
 */
async function soulAt(hub: Hub, idText: string) {
  const id = /^[1-9]\d{0,15}$/.test(idText) ? Number(idText) : 0;
  return Number.isSafeInteger(id) && id > 0 ? hub.souls.byId(id) : undefined;
}

/**
 * Reads the soul that a page's path names, if everyone may read it. Returns undefined for a soul
 * that is private, gated or missing.
 */
export async function openSoulAt(hub: Hub, idText: string) {
  const soul = await soulAt(hub, idText);
  return soul?.is_public === 1 && soul.nft_contract === null ? soul : undefined;
}

async function previewSoul(hub: Hub, idText: string): Promise<LinkPreview | null | undefined> {
  const soul = await soulAt(hub, idText);
  if (soul?.is_public !== 1) return null;
  if (soul.nft_contract !== null) return undefined;
  const { id, title, description, username, version } = soul;
  return {
    title,
    description: description.trim() || `A soul by ${username}.`,
    type: "article",
    // Services keep a picture by its URL, so a new version of the soul has a new URL.
    picture: `/previews/soul/${id}.png?v=${version}`,
    markdown: `/soul/${id}.md`,
  };
}

/**
 * Reads the soul of a preview's picture. Returns undefined for a soul that is private, gated or
 * missing, because its title may not be public.
 */
export async function picturedSoul(hub: Hub, idText: string): Promise<PicturedSoul | undefined> {
  const soul = await openSoulAt(hub, idText);
  if (!soul) return undefined;
  const { id, title, username } = soul;
  return { id, title, username };
}

/**
 * Names the soul of a shared conversation, not its title: services keep a preview after the share
 * was revoked.
 */
async function previewShare({ database: { db } }: Hub, id: string): Promise<LinkPreview | null> {
  const share = await findShare(db, id).catch(nullIfMissing);
  if (!share) return null;
  return {
    title: `A conversation with ${share.soul_title}`,
    description: "Read it, or continue in a copy of your own.",
    type: "article",
    isUnlisted: true,
  };
}

function nullIfMissing(error: unknown): null {
  if (error instanceof HubError && error.code === "share_not_found") return null;
  throw error;
}

/** The same for every invite, whether it exists or not. */
const invitePreview: LinkPreview = {
  title: "An invite to a private room",
  description: "Join a private conversation with an AI soul.",
  type: "website",
  isUnlisted: true,
};

async function previewProfile(hub: Hub, name: string): Promise<LinkPreview | null> {
  if (!usernameShape.safeParse(name).success) return null;
  const account = await hub.database.db
    .selectFrom("accounts")
    .leftJoin("souls", (join) =>
      join.onRef("souls.user_id", "=", "accounts.id").on("souls.is_public", "=", 1),
    )
    .select(({ fn }) => ["accounts.username", fn.count<number>("souls.id").as("souls")])
    .where("username_key", "=", name.toLowerCase())
    .where(isShown)
    .groupBy("accounts.username")
    .executeTakeFirst();
  if (!account) return null;
  const souls = account.souls === 1 ? "1 soul" : `${account.souls} souls`;
  return { title: account.username, description: `${souls} on Soul Hub.`, type: "profile" };
}

function previewMiniApp(slug: string): LinkPreview | null {
  const entry = miniApps.get(slug)?.entry;
  return entry ? { title: entry.title, description: entry.description, type: "website" } : null;
}

/** Returns the first soul id of each block of the sitemap. */
export async function sitemapBlocks({ database: { db } }: Hub): Promise<number[]> {
  const { last } = await db
    .selectFrom("souls")
    .select(({ fn }) => fn.max<number | null>("id").as("last"))
    .where("is_public", "=", 1)
    .executeTakeFirstOrThrow();
  // The sitemap's first block also lists pages other than souls, so it exists even without souls.
  const blocks = Math.floor((last ?? 0) / SITEMAP_BLOCK_IDS) + 1;
  return Array.from({ length: blocks }, (_, block) => block * SITEMAP_BLOCK_IDS);
}

/**
 * Returns the paths of the public souls in one block of the sitemap. The first block also contains
 * the other pages.
 */
export async function sitemapAddresses({ database: { db } }: Hub, firstId: number) {
  const souls = await db
    .selectFrom("souls")
    .select("id")
    .where("is_public", "=", 1)
    .where("is_listed", "=", true)
    .where("nft_contract", "is", null)
    .where("id", ">=", firstId)
    .where("id", "<", firstId + SITEMAP_BLOCK_IDS)
    .orderBy("id")
    .execute();
  const pages = ["/", "/apps", ...[...miniApps.keys()].map((slug) => `/apps/${slug}`)];
  return [...(firstId === 0 ? pages : []), ...souls.map(({ id }) => `/soul/${id}`)];
}
