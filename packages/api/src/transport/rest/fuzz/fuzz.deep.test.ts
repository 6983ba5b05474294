import { testDatabases } from "../../../testing/test-database.ts";
import { describeFuzzedRequests } from "./fuzz.fixture.ts";

/** The number of requests. `pnpm fuzz` sends 20,000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 4_000);

describeFuzzedRequests(testDatabases(), REQUESTS);
