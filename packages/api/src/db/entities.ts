import type { InferKyselyDB } from "@mikro-orm/sql";
import type { ColumnType, Kysely, SelectType } from "kysely";
import { Account } from "../accounts/account.entity.ts";
import { Session } from "../accounts/session.entity.ts";
import { ProviderKey } from "../chat/byok/provider-key.entity.ts";
import { ChatMessage } from "../chat/chat-message.entity.ts";
import { ChatRoom } from "../chat/chat-room.entity.ts";
import { ModelUse } from "../chat/usage/model-usage.entity.ts";
import { QuotaDay } from "../quota/quota-day.entity.ts";
import { QuotaHold } from "../quota/quota-hold.entity.ts";
import { IdempotentCall } from "../rest/idempotent-call.entity.ts";
import { Like } from "../social/like.entity.ts";
import { Rating } from "../social/rating.entity.ts";
import { DomainTag } from "../souls/domain-tag.entity.ts";
import { Soul } from "../souls/soul.entity.ts";
import { SoulVersion } from "../souls/soul-version.entity.ts";
import { SoulWord } from "../souls/soul-word.entity.ts";
import { UsedWalletProof } from "../wallet/wallet-proof.entity.ts";

/** Every table of the hub. */
export const entities = [
  Account,
  Session,
  Soul,
  SoulVersion,
  SoulWord,
  DomainTag,
  Like,
  Rating,
  ChatRoom,
  ChatMessage,
  ModelUse,
  ProviderKey,
  QuotaDay,
  QuotaHold,
  UsedWalletProof,
  IdempotentCall,
] as const;

/** A column may be left out of an insert: the database has the defaults and refuses what it must have. */
type Insertable<Table> = {
  [Column in keyof Table]: ColumnType<
    SelectType<Table[Column]>,
    SelectType<Table[Column]> | undefined,
    SelectType<Table[Column]>
  >;
};
type Tables = InferKyselyDB<(typeof entities)[number]>;

/** Tables and columns as queries see them: typed from the entities. */
export type HubTables = { [Name in keyof Tables]: Insertable<Tables[Name]> };

/** Typed access to the database. Inside a transaction only the transaction's own may be used. */
export type Db = Kysely<HubTables>;
