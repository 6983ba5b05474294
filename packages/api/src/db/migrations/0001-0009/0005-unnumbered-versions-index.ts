import { ConcurrentIndex } from "../concurrent-index.ts";

/** The snapshots that have no number yet. The index is empty once all have one (0037). */
export class UnnumberedVersionsIndex extends ConcurrentIndex {
  override name = "0005-unnumbered-versions-index";
  override index = "soul_versions_unnumbered_index";
  override on = "soul_versions (soul_id) where number is null";
}
