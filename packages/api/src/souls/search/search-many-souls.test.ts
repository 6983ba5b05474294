import { ruleDatabase } from "../../testing/test-database.ts";
import { describeSearch } from "./search-many-souls.fixture.ts";

describeSearch(ruleDatabase());
