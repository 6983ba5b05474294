import { accountsRouter } from "./accounts/accounts.router.ts";
import { backupRouter } from "./backup/backup.router.ts";
import { byokRouter } from "./chat/byok/byok.router.ts";
import { chatRouter } from "./chat/chat.router.ts";
import { liveRouter } from "./chat/live/live.router.ts";
import { masterKeysRouter } from "./chat/master-keys/rotate-keys.router.ts";
import { modelUsageRouter } from "./chat/usage/model-usage.router.ts";
import { miniAppsRouter } from "./mini-apps/mini-apps.router.ts";
import { passesRouter } from "./quota/passes.router.ts";
import { socialRouter } from "./social/social.router.ts";
import { soulsRouter } from "./souls/souls.router.ts";
import { versionsRouter } from "./souls/versions/versions.router.ts";
import { router } from "./trpc/trpc.ts";
import { walletRouter } from "./wallet/wallet.router.ts";

/** Every procedure of the hub. Each transport calls this router and nothing else. */
export const appRouter = router({
  accounts: accountsRouter,
  passes: passesRouter,
  wallet: walletRouter,
  souls: soulsRouter,
  versions: versionsRouter,
  social: socialRouter,
  chat: chatRouter,
  byok: byokRouter,
  rooms: liveRouter,
  apps: miniAppsRouter,
  masterKeys: masterKeysRouter,
  usage: modelUsageRouter,
  backup: backupRouter,
});

export type AppRouter = typeof appRouter;
