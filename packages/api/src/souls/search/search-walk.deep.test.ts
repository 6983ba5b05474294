import { testDatabases } from "../../testing/test-database.ts";
import { describeWalk } from "./search-walk.fixture.ts";

for (const database of testDatabases()) {
  describeWalk(database, 10_000, Math.floor(Math.random() * 1e9));
}
