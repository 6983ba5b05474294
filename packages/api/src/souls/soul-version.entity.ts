import { defineEntity, p } from "@mikro-orm/core";
import { Soul } from "./soul.entity.ts";

/** Specification §2, Soul version: the state of a soul before one update of it. */
export const SoulVersion = defineEntity({
  name: "SoulVersion",
  tableName: "soul_versions",
  properties: {
    id: p.bigint("number").primary(),
    soul: () => p.manyToOne(Soul).index().deleteRule("cascade"),
    title: p.text(),
    description: p.text(),
    content: p.text(),
    role: p.text(),
    domain: p.text(),
    compatibility: p.text(),
    /** Whether the soul was public in this state: others may read only such snapshots (decisions §7). */
    is_public: p.smallint(),
    /** The gate that the soul had in this state (docs/decisions/0014). */
    nft_contract: p.text().nullable(),
    edited_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
