import { defineEntity, p } from "@mikro-orm/core";
import { Soul } from "../soul.entity.ts";
import type { VersionSignature } from "../version/version-signature.schema.ts";

/** The state of a soul before one update (specification §2, Soul version). */
export const SoulVersion = defineEntity({
  name: "soul_versions",
  properties: {
    id: p.bigint("number").primary(),
    soul: () => p.manyToOne(Soul).index().deleteRule("cascade"),
    /** Counts the states of the soul from 1. Null until `number_versions` has run (0037). */
    number: p.integer().nullable(),
    /** What the owner says about this version. */
    note: p.text().nullable(),
    /** True if only the owner may know that this version exists. */
    is_hidden: p.boolean().default(false),
    /** The owner's signature of this version. */
    signature: p.json<VersionSignature>().nullable(),
    title: p.text(),
    description: p.text(),
    content: p.text(),
    role: p.text(),
    domain: p.text(),
    compatibility: p.text(),
    /**
     * 1 if the soul was public in this version, else 0. Callers other than the owner read only the
     * snapshots of public states (decisions §7).
     */
    is_public: p.smallint(),
    /** The NFT contract that gated the soul in this version; null without a gate (0014). */
    nft_contract: p.text().nullable(),
    /** The package of this version (0052). */
    package_id: p.bigint("number").nullable(),
    edited_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
