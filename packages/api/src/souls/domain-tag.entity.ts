import { defineEntity, p } from "@mikro-orm/core";

/** The number of souls with each domain tag (specification §2, Soul). */
export const DomainTag = defineEntity({
  name: "domain_tags",
  properties: {
    domain: p.text().primary(),
    uses: p.integer(),
  },
  checks: [{ name: "domain_tags_uses_check", expression: "uses >= 0" }],
});
