import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/** What an account imported from an archive, so that a second import makes nothing twice (0053). */
export const ArchiveImport = defineEntity({
  name: "archive_imports",
  properties: {
    account: () => p.manyToOne(Account).primary().deleteRule("cascade").updateRule("no action"),
    /** The identity of the hub that wrote the archive. */
    hub_id: p.text().primary(),
    /** `soul` or `room`. */
    kind: p.text().primary(),
    /** The id on that hub. */
    source_id: p.bigint("number").primary(),
    /** The id on this hub. */
    target_id: p.bigint("number"),
    /** The version of the soul, or the newest message of the room, right after the import. */
    state: p.bigint("number"),
  },
});
