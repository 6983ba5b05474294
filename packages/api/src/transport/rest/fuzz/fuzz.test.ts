import { ruleDatabase } from "../../../testing/test-database.ts";
import { describeFuzzedRequests } from "./fuzz.fixture.ts";

describeFuzzedRequests([ruleDatabase()], 200);
