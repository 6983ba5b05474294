import { accountsRouter } from "./accounts/accounts.router.ts";
import { passesRouter } from "./accounts/passes.router.ts";
import { chatRouter } from "./chat/chat.router.ts";
import { liveRouter } from "./chat/live.router.ts";
import { soulsRouter } from "./souls/souls.router.ts";
import { router } from "./trpc.ts";

/** The hub: every procedure there is. The doors lead here and nowhere else. */
export const appRouter = router({
  accounts: accountsRouter,
  passes: passesRouter,
  souls: soulsRouter,
  chat: chatRouter,
  rooms: liveRouter,
});

export type AppRouter = typeof appRouter;
