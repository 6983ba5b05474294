import { defineEntity, p } from "@mikro-orm/core";

/** How many souls bear a domain tag (specification §2, Soul, domain). */
export const DomainTag = defineEntity({
  name: "DomainTag",
  tableName: "domain_tags",
  properties: {
    domain: p.text().primary(),
    uses: p.integer(),
  },
  checks: [{ name: "domain_tags_uses_check", expression: "uses >= 0" }],
});
