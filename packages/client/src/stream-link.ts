import type { AppRouter } from "@soul-hub/api";
import { httpSubscriptionLink, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";

interface StreamLinkOptions {
  url: string;
  headers: Record<string, string>;
  fetch: (address: string | URL, init: object) => Promise<Response>;
}

/**
 * A link for subscriptions by server-sent events. Few networks need it. The code of the event source
 * therefore loads with the first such subscription.
 */
export const streamLink =
  ({ url, headers, fetch }: StreamLinkOptions): TRPCLink<AppRouter> =>
  (runtime) => {
    const load = async () => {
      // The native EventSource sends no headers, and a URL must not contain a key.
      const { EventSource } = await import("eventsource");
      const link: TRPCLink<AppRouter> = httpSubscriptionLink({
        url,
        EventSource,
        eventSourceOptions: {
          fetch: (address, init) =>
            fetch(address, { ...init, headers: { ...init.headers, ...headers } }),
        },
      });
      return link(runtime);
    };
    return ({ op, next }) =>
      observable((observer) => {
        let isOpen = true;
        let stop = () => {};
        const open = async () => {
          const link = await load();
          if (!isOpen) return;
          const running = link({ op, next }).subscribe(observer);
          stop = () => running.unsubscribe();
          // The observer may have unsubscribed at the first report of the link.
          if (!isOpen) stop();
        };
        open().catch((cause: Error) => {
          if (isOpen) observer.error(TRPCClientError.from(cause));
        });
        return () => {
          isOpen = false;
          stop();
        };
      });
  };
