/** What apps use of the hub. The web client takes types alone from here. */

export { createApp } from "./app.ts";
export { readHostAndPort } from "./chat/byok/host-and-port.ts";
export { createOwnModels } from "./chat/byok/own-models.ts";
export { ModelConfigError } from "./chat/models/model-id.ts";
export { createModels } from "./chat/models/models.ts";
export type { ModelsConfig } from "./chat/models/models-config.ts";
export type { Hub, HubConfig } from "./context.ts";
export { connectDatabase, type Database } from "./db/connect.ts";
export { answerOtherMethod } from "./doors/other-methods.ts";
export type { FailureBody, FailureCode } from "./errors.ts";
export { createHub } from "./hub.ts";
export {
  countPageRead,
  type LinkPreview,
  sitemapAddresses,
  sitemapBlocks,
} from "./link-previews.ts";
export type { PageData } from "./page-data.ts";
export { defaultTiers, parseTierTable } from "./quota/tier-table.ts";
export { readPage } from "./read-page.ts";
export { openApiDocument } from "./rest/openapi.ts";
export { connectRedis } from "./rooms/redis/redis-link.ts";
export type {
  PresentParticipant,
  ReplyInProgress,
  RoomEvent,
  RoomMessage,
} from "./rooms/room-events.ts";
export type { AppRouter } from "./router.ts";
export { publishStarterSouls } from "./souls/publish-starter-souls.ts";
export type { MasterKey } from "./vault.ts";
export { createNearChain } from "./wallet/near-chain.ts";
