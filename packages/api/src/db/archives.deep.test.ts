import { archives, describeArchives } from "./archives.fixture.ts";

/** `archives.test.ts` opens the first and the last one for each change. */
describeArchives(archives.slice(1, -1));
