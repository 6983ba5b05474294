import { describeSearch } from "./search-many-souls.fixture.ts";

/** Where there is PostgreSQL, `search-many-souls.test.ts` searches it for each change. */
describeSearch("pglite");
