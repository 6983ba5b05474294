/** For tests of the hub and of what stands on it. */
export { type Actor, type Answer, createActor } from "./actor.ts";
export { startOpenAiServer } from "./openai-server.ts";
export { ownPostgresDatabase } from "./own-database.ts";
export { type DatabaseKind, testDatabases } from "./test-database.ts";
export { ADMIN_TOKEN, PASSWORD, startTestHub, type TestHub } from "./test-hub.ts";
