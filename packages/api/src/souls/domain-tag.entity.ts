import { defineEntity, p } from "@mikro-orm/core";
import type { TableOf } from "../db/database.ts";

declare module "../db/database.ts" {
  interface Tables {
    domain_tags: TableOf<typeof DomainTag>;
  }
}

/** The number of souls with each domain tag (specification §2, Soul). */
export const DomainTag = defineEntity({
  name: "DomainTag",
  tableName: "domain_tags",
  properties: {
    domain: p.text().primary(),
    uses: p.integer(),
  },
  checks: [{ name: "domain_tags_uses_check", expression: "uses >= 0" }],
});
