/** The test support of this package, for its tests and those of other packages. */
export { createApiKey } from "../accounts/api-key.ts";
export { hashCredential } from "../credential-hash.ts";
export { createWordModel } from "../embedding/word-model.fixture.ts";
export {
  type SignedForm,
  signAs,
  signedForms,
  statementOf,
} from "../souls/versions/signing/sign-version.fixture.ts";
export { encodePublicKey as encodeKey } from "../wallet/proof-encoding.ts";
export {
  createTorsionSigner,
  ED25519_ORDER,
  isLaxlyValid,
  smallOrder,
} from "../wallet/small-order.fixture.ts";
export { bindBody, createWallet, proveByNep413 } from "../wallet/wallet.fixture.ts";
export { type Actor, type Answer, createActor } from "./actor.ts";
export { type ChatHub, openRoom, type RoomName, say, startChatHub, sync } from "./chat-hub.ts";
export { runOnServer } from "./database-template.ts";
export { describeChat, describeHub } from "./describe-chat.ts";
export { eventually } from "./eventually.ts";
export { digestOf, keepLog, type LogKeeper } from "./log-keeper.ts";
export { startOpenAiServer } from "./openai-server.ts";
export { openedAt, ownPostgresDatabase } from "./own-database.ts";
export { END_WITH_PARENT, type ServerProcess, startServerProcess } from "./server-process.ts";
export { freePort } from "./servers/free-port.ts";
export { type OwnPgbouncer, startPgbouncer } from "./servers/own-pgbouncer.ts";
export { startPostgres } from "./servers/own-postgres.ts";
export { type OwnRedis, startRedis } from "./servers/own-redis.ts";
export { type SmtpSink, startSmtpSink } from "./servers/smtp-sink.ts";
export { tableSizes } from "./table-sizes.ts";
export {
  copyEmbeddedTemplate,
  type DatabaseKind,
  emptyDatabase,
  fillDataDirectory,
  makeNewer,
  makeUnreleased,
  ruleDatabase,
  stopDatabaseClock,
  testDatabases,
} from "./test-database.ts";
export {
  ADMIN_TOKEN,
  PASSWORD,
  startTestHub,
  type TestHub,
  type TestHubOptions,
} from "./test-hub.ts";
export { startTwoServers, type TwoServers } from "./two-servers.ts";
