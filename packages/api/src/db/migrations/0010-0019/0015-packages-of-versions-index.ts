import { ConcurrentIndex } from "../concurrent-index.ts";

/** Finds the versions that hold a package, which its last holder takes with it (0052). */
export class PackagesOfVersionsIndex extends ConcurrentIndex {
  override name = "0015-packages-of-versions-index";
  override index = "soul_versions_package_id_index";
  override on = "soul_versions (package_id) where package_id is not null";
}
