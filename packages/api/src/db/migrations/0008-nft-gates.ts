import { Migration } from "@mikro-orm/migrations";

/** The NFT contract that gates a soul, and the one that did when a snapshot was taken. */
export class NftGates extends Migration {
  override name = "0008-nft-gates";

  override up(): void {
    this.addSql(`alter table souls
      add column nft_contract text,
      add constraint souls_nft_contract_check check (nft_contract <> '')`);
    this.addSql("alter table soul_versions add column nft_contract text");
  }
}
