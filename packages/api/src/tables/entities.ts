import { ArchiveImport } from "../account-archive/import/archive-import.entity.ts";
import { AccountDeletion } from "../account-deletion/account-deletion.entity.ts";
import { Block } from "../accounts/blocks/block.entity.ts";
import {
  DeletedAccount,
  DeletedNameKey,
} from "../accounts/deleted-names/deleted-account.entity.ts";
import { Invite } from "../accounts/invites/invite.entity.ts";
import { NamedKey } from "../accounts/keys/named-key.entity.ts";
import { AccountLink } from "../accounts/links/account-link.entity.ts";
import { Passkey, PasskeyChallenge } from "../accounts/passkeys/passkey.entity.ts";
import { Session } from "../accounts/session.entity.ts";
import { AuditRow } from "../audit/audit-row.entity.ts";
import { Account } from "../caller/account.entity.ts";
import { ProviderKey } from "../chat/byok/provider-key.entity.ts";
import { ChatMessage } from "../chat/chat-message.entity.ts";
import { ChatRoom, ReservedRoom } from "../chat/chat-room.entity.ts";
import { MessageReaction } from "../chat/message-reaction.entity.ts";
import { ClaimedGuest } from "../chat/people/claimed-guest.entity.ts";
import { RoomInvite } from "../chat/people/room-invite.entity.ts";
import { RoomPerson } from "../chat/people/room-person.entity.ts";
import { RoomShare } from "../chat/sharing/room-share.entity.ts";
import { RoomSummary } from "../chat/summaries/room-summary.entity.ts";
import { ModelUse } from "../chat/usage/model-usage.entity.ts";
import type { TablesOf } from "../db/database.ts";
import { IdempotentCall } from "../idempotency/idempotent-call.entity.ts";
import { WaitingMail } from "../mail/waiting-mail.entity.ts";
import { ModDecision } from "../moderation/actions/mod-decision.entity.ts";
import { ModCase } from "../moderation/cases/mod-case.entity.ts";
import { ModEvidence } from "../moderation/cases/mod-evidence.entity.ts";
import { ModReport } from "../moderation/reports/mod-report.entity.ts";
import { QuotaDay, QuotaHold } from "../quota/quota.entity.ts";
import { Like, Rating } from "../social/marks.entity.ts";
import { DomainTag } from "../souls/domain-tag.entity.ts";
import { SoulHold } from "../souls/holds/soul-hold.entity.ts";
import { PackageBlob, PackageFile, SoulPackage } from "../souls/packages/package.entity.ts";
import { Soul } from "../souls/soul.entity.ts";
import { SoulVersion } from "../souls/versions/soul-version.entity.ts";
import { UsedWalletProof } from "../wallet/wallet-proof.entity.ts";

declare module "../db/database.ts" {
  interface Tables extends TablesOf<(typeof entities)[number]> {}
}

/**
 * The entities of all tables, by whose names queries are typed. Only connect.ts imports this list,
 * because the list imports every slice.
 */
export const entities = [
  Account,
  AuditRow,
  Invite,
  NamedKey,
  Passkey,
  PasskeyChallenge,
  Session,
  AccountLink,
  WaitingMail,
  UsedWalletProof,
  Soul,
  SoulVersion,
  SoulHold,
  SoulPackage,
  PackageBlob,
  PackageFile,
  DomainTag,
  Like,
  Rating,
  QuotaDay,
  QuotaHold,
  ChatRoom,
  ReservedRoom,
  ChatMessage,
  MessageReaction,
  RoomSummary,
  RoomPerson,
  ClaimedGuest,
  RoomInvite,
  RoomShare,
  ModelUse,
  ProviderKey,
  IdempotentCall,
  ArchiveImport,
  Block,
  AccountDeletion,
  DeletedAccount,
  DeletedNameKey,
  ModCase,
  ModReport,
  ModEvidence,
  ModDecision,
];
