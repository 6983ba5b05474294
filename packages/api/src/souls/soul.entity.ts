import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../caller/account.entity.ts";
import type { VersionSignature } from "./version/version-signature.schema.ts";

/**
 * A soul (specification §2, Soul). Its generated columns `search` and `title_key` exist in the
 * database only (0010).
 */
export const Soul = defineEntity({
  name: "souls",
  properties: {
    id: p.bigint("number").primary(),
    user: () => p.manyToOne(Account).index().deleteRule("cascade"),
    title: p.text(),
    description: p.text().default(""),
    content: p.text(),
    file_type: p.text(),
    role: p.text().default("Other"),
    domain: p.text().default(""),
    compatibility: p.text().default("any"),
    is_public: p.smallint().default(1),
    /** False while the soul is public but in no list, until staff have seen its reports (0062). */
    is_listed: p.boolean().default(true),
    like_count: p.integer().default(0),
    fork_count: p.integer().default(0),
    rating_sum: p.integer().default(0),
    rating_count: p.integer().default(0),
    /**
     * The id of the forked soul. It is no foreign key, since a fork remains if the forked soul is
     * deleted.
     */
    forked_from: p.bigint("number").nullable(),
    /** The contract whose NFT other accounts need to use the soul (decisions §4, NFT gate). */
    nft_contract: p.text().nullable(),
    /** The number of the present state: 1 for the first, and one more with each change (0037). */
    version: p.integer().default(1),
    /** What the owner says about the present state. */
    version_note: p.text().nullable(),
    /** The owner's signature of the present state. */
    signature: p.json<VersionSignature>().nullable(),
    /** What an imported file brought beside the content (0052). */
    package_id: p.bigint("number").nullable(),
    /**
     * Time at which the author deleted the soul. Its row stays, without texts, while a room needs it
     * in which others wrote (0076).
     */
    deleted_at: p.string().columnType("timestamptz").nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    updated_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  indexes: [{ name: "souls_deleted_index", properties: ["id"], where: "deleted_at is not null" }],
  checks: [
    { name: "souls_file_type_check", expression: "file_type in ('single_md', 'full_soul_folder')" },
    { name: "souls_is_public_check", expression: "is_public in (0, 1)" },
    { name: "souls_nft_contract_check", expression: "nft_contract <> ''" },
  ],
});
