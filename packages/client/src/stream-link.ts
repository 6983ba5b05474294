import type { AppRouter } from "@soul-hub/api";
import { httpSubscriptionLink, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";

interface StreamLinkOptions {
  url: string;
  headers: Record<string, string>;
  fetch: (address: string | URL, init: object) => Promise<Response>;
}

/**
 * A link for subscriptions by server-sent events. Few networks need it, so that the code of the event
 * source loads with the first subscription.
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
        const abort = new AbortController();
        load().then(
          (link) => {
            if (abort.signal.aborted) return;
            const running = link({ op, next }).subscribe(observer);
            abort.signal.addEventListener("abort", () => running.unsubscribe());
          },
          (cause: Error) => observer.error(TRPCClientError.from(cause)),
        );
        return () => abort.abort();
      });
  };
