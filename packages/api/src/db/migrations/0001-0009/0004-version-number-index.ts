import { ConcurrentIndex } from "../concurrent-index.ts";

/** A number names one version of a soul. */
export class VersionNumberIndex extends ConcurrentIndex {
  override name = "0004-version-number-index";
  override isUnique = true;
  override index = "soul_versions_number_unique";
  override on = "soul_versions (soul_id, number)";
}
