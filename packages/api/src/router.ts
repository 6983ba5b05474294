import { accountsRouter } from "./accounts/accounts.router.ts";
import { passesRouter } from "./accounts/passes.router.ts";
import { chatRouter } from "./chat/chat.router.ts";
import { liveRouter } from "./chat/live.router.ts";
import { miniAppsRouter } from "./mini-apps/mini-apps.router.ts";
import { socialRouter } from "./social/social.router.ts";
import { soulsRouter } from "./souls/souls.router.ts";
import { versionsRouter } from "./souls/versions.router.ts";
import { router } from "./trpc.ts";
import { walletRouter } from "./wallet/wallet.router.ts";

/** The hub: every procedure there is. The doors lead here and nowhere else. */
export const appRouter = router({
  accounts: accountsRouter,
  passes: passesRouter,
  wallet: walletRouter,
  souls: soulsRouter,
  versions: versionsRouter,
  social: socialRouter,
  chat: chatRouter,
  rooms: liveRouter,
  apps: miniAppsRouter,
});

export type AppRouter = typeof appRouter;
