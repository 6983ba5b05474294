import { ruleDatabase } from "../../../testing/test-database.ts";
import { testFuzzedRequests } from "./fuzz.fixture.ts";

testFuzzedRequests([ruleDatabase()], 200);
