import { ConcurrentIndex } from "../concurrent-index.ts";

/** Finds the souls that hold a package, which its last holder takes with it (0052). */
export class PackagesOfSoulsIndex extends ConcurrentIndex {
  override name = "0014-packages-of-souls-index";
  override index = "souls_package_id_index";
  override on = "souls (package_id) where package_id is not null";
}
