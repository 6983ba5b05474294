import { blame } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import { checkOutRelease } from "./releases.ts";

/** The last commit of the first release. */
const FIRST_RELEASE = "9c12d14";
export const EARLIER = "earlier release";
export const PRESENT = "present release";

export const earlierOf = (stage: Stage): Promise<{ main: string }> =>
  stage.share("earlier release", () =>
    blame(EARLIER, () => checkOutRelease(stage, stage.option("commit", FIRST_RELEASE))),
  );
