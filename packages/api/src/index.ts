/** The public interface of the package. The web client imports only types from it. */

export { createApp } from "./app.ts";
export { backUpBeforeMigration } from "./backup/backup-files.ts";
export { asksToVerify } from "./caller/assert-verified.ts";
export { readHostAndPort } from "./chat/byok/allowed-hosts.ts";
export { createOwnModels } from "./chat/byok/own-models.ts";
export { withOllama } from "./chat/models/find-ollama.ts";
export { ModelConfigError } from "./chat/models/model-id.ts";
export { createModels } from "./chat/models/models.ts";
export type { ModelsConfig } from "./chat/models/models-config.ts";
export type { Hub, HubConfig } from "./context.ts";
export type { Database } from "./db/database.ts";
export { isStorageFull } from "./db/database-errors.ts";
export { tryDirectConnection } from "./db/drivers/postgres-settings.ts";
export { createTableModel } from "./embedding/table-model.ts";
export { type FailureBody, type FailureCode, HubError } from "./errors.ts";
export { createHub } from "./hub.ts";
export { createSmtpMailer } from "./mail/smtp-mailer.ts";
export {
  countPageRead,
  type LinkPreview,
  type PicturedSoul,
  picturedSoul,
  sitemapAddresses,
  sitemapBlocks,
} from "./pages/link-previews.ts";
export type { PageData } from "./pages/page-data.ts";
export { type HubOverview, readOverview, readSoulMarkdown } from "./pages/plain-pages.ts";
export { readPage } from "./pages/read-page.ts";
export { defaultTiers, parseTierTable } from "./quota/tier-table.ts";
export { connectRedis } from "./rooms/redis/redis-link.ts";
export type {
  PresentParticipant,
  ReplyInProgress,
  RoomEvent,
  RoomLine,
  RoomMessage,
  RoomSettings,
} from "./rooms/room-events.ts";
export type { AppRouter } from "./router.ts";
export { createSemaphore } from "./semaphore.ts";
export { publishStarterSouls } from "./souls/publish-starter-souls.ts";
export { connectDatabase } from "./tables/connect.ts";
export { traceFields } from "./tracing/call-scope.ts";
export type { Span, SpanOptions, Tracer } from "./tracing/tracer.ts";
export { acceptedRanges, weightOf } from "./transport/http/accept.ts";
export { respondToOtherMethod } from "./transport/http/method-not-allowed.ts";
export { createMetricsApp } from "./transport/http/metrics-route.ts";
export { openApiDocument } from "./transport/rest/openapi.ts";
export { createNearChain } from "./wallet/near/near-chain.ts";
