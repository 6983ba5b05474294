import { accountsRouter } from "./accounts/accounts.router.ts";
import { backupRouter } from "./backup/backup.router.ts";
import { byokRouter } from "./chat/byok/byok.router.ts";
import { messageChangesRouter } from "./chat/changes/message-changes.router.ts";
import { roomSettingsRouter } from "./chat/changes/room-settings.router.ts";
import { chatRouter } from "./chat/chat.router.ts";
import { liveRouter } from "./chat/live/live.router.ts";
import { masterKeysRouter } from "./chat/master-keys/rotate-keys.router.ts";
import { roomSummaryRouter } from "./chat/summaries/room-summary.router.ts";
import { modelUsageRouter } from "./chat/usage/model-usage.router.ts";
import { miniAppsRouter } from "./mini-apps/mini-apps.router.ts";
import { passesRouter } from "./quota/passes.router.ts";
import { socialRouter } from "./social/social.router.ts";
import { soulsRouter } from "./souls/souls.router.ts";
import { versionSignatureRouter } from "./souls/versions/signing/version-signature.router.ts";
import { versionsRouter } from "./souls/versions/versions.router.ts";
import { mergeRouters, router } from "./trpc/trpc.ts";
import { walletRouter } from "./wallet/wallet.router.ts";

/** Every procedure of the hub. Each transport calls this router and nothing else. */
export const appRouter = router({
  accounts: accountsRouter,
  passes: passesRouter,
  wallet: walletRouter,
  souls: soulsRouter,
  versions: mergeRouters(versionsRouter, versionSignatureRouter),
  social: socialRouter,
  chat: mergeRouters(chatRouter, messageChangesRouter),
  byok: byokRouter,
  rooms: mergeRouters(liveRouter, roomSettingsRouter, roomSummaryRouter),
  apps: miniAppsRouter,
  masterKeys: masterKeysRouter,
  usage: modelUsageRouter,
  backup: backupRouter,
});

export type AppRouter = typeof appRouter;
