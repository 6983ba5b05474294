import { aboutRouter } from "./about/about.router.ts";
import { accountArchiveRouter } from "./account-archive/account-archive.router.ts";
import { accountDeletionRouter } from "./account-deletion/account-deletion.router.ts";
import { accountsRouter } from "./accounts/accounts.router.ts";
import { blocksRouter } from "./accounts/blocks/blocks.router.ts";
import { emailRouter } from "./accounts/email/email.router.ts";
import { guestNameRouter } from "./accounts/guests/guest-name.router.ts";
import { invitesRouter } from "./accounts/invites/invites.router.ts";
import { apiKeysRouter } from "./accounts/keys/api-keys.router.ts";
import { passkeysRouter } from "./accounts/passkeys/passkeys.router.ts";
import { recoveryRouter } from "./accounts/recovery/recovery.router.ts";
import { rolesRouter } from "./accounts/roles/roles.router.ts";
import { auditRouter } from "./audit/audit.router.ts";
import { backupRouter } from "./backup/backup.router.ts";
import { byokRouter } from "./chat/byok/byok.router.ts";
import { messageChangesRouter } from "./chat/changes/message-changes.router.ts";
import { roomSettingsRouter } from "./chat/changes/room-settings.router.ts";
import { chatRouter } from "./chat/chat.router.ts";
import { roomLifecycleRouter } from "./chat/lifecycle/room-lifecycle.router.ts";
import { liveRouter } from "./chat/live/live.router.ts";
import { masterKeysRouter } from "./chat/master-keys/rotate-keys.router.ts";
import { claimGuestRouter } from "./chat/people/claim-guest.router.ts";
import { roomInvitesRouter } from "./chat/people/room-invites.router.ts";
import { roomPeopleRouter } from "./chat/people/room-people.router.ts";
import { readingRouter, seenRouter } from "./chat/reading/reading.router.ts";
import { sayRouter } from "./chat/say/say.router.ts";
import { sharesRouter } from "./chat/sharing/shares.router.ts";
import { roomSummaryRouter } from "./chat/summaries/room-summary.router.ts";
import { modelUsageRouter } from "./chat/usage/model-usage.router.ts";
import { miniAppsRouter } from "./mini-apps/mini-apps.router.ts";
import { moderationByOperatorRouter } from "./moderation/actions/operator.router.ts";
import { casesRouter } from "./moderation/cases.router.ts";
import { noticesRouter } from "./moderation/notices/notices.router.ts";
import { peopleRouter } from "./moderation/people/people.router.ts";
import { reportsRouter } from "./moderation/reports/reports.router.ts";
import { passesRouter } from "./quota/passes.router.ts";
import { socialRouter } from "./social/social.router.ts";
import { exchangeRouter } from "./souls/exchange/exchange.router.ts";
import { soulsRouter } from "./souls/souls.router.ts";
import { versionSignatureRouter } from "./souls/versions/signing/version-signature.router.ts";
import { versionsRouter } from "./souls/versions/versions.router.ts";
import { mergeRouters, router } from "./trpc/trpc.ts";
import { walletRouter } from "./wallet/wallet.router.ts";

/** Every procedure of the hub. Each transport calls this router and nothing else. */
export const appRouter = router({
  accounts: mergeRouters(
    accountsRouter,
    apiKeysRouter,
    blocksRouter,
    guestNameRouter,
    passkeysRouter,
    recoveryRouter,
    emailRouter,
    claimGuestRouter,
  ),
  about: aboutRouter,
  invites: invitesRouter,
  roles: rolesRouter,
  audit: auditRouter,
  passes: passesRouter,
  wallet: walletRouter,
  souls: mergeRouters(soulsRouter, exchangeRouter),
  versions: mergeRouters(versionsRouter, versionSignatureRouter),
  social: socialRouter,
  chat: mergeRouters(chatRouter, messageChangesRouter, sayRouter, readingRouter),
  byok: byokRouter,
  rooms: mergeRouters(
    liveRouter,
    roomSettingsRouter,
    roomSummaryRouter,
    roomPeopleRouter,
    roomInvitesRouter,
    seenRouter,
    roomLifecycleRouter,
  ),
  shares: sharesRouter,
  apps: miniAppsRouter,
  archive: accountArchiveRouter,
  moderation: mergeRouters(
    reportsRouter,
    casesRouter,
    noticesRouter,
    peopleRouter,
    moderationByOperatorRouter,
  ),
  deletion: accountDeletionRouter,
  masterKeys: masterKeysRouter,
  usage: modelUsageRouter,
  backup: backupRouter,
});

export type AppRouter = typeof appRouter;
