/** For tests of the hub and of what stands on it. */
export type { Actor, Answer } from "./actor.ts";
export { startOpenAiServer } from "./openai-server.ts";
export { type DatabaseKind, testDatabases } from "./test-database.ts";
export { ADMIN_TOKEN, PASSWORD, startTestHub, type TestHub } from "./test-hub.ts";
