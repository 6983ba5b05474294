import { createHubClient } from "@soul-hub/client";

/** The words of most failures load with the first call that fails, before it is shown. */
export const loadWords = async () => {
  await import("./error-messages/further-error-messages.ts").catch(() => {});
};

const connect = () => createHubClient({ baseUrl: location.origin, beforeFailure: loadWords });

let connection = connect();

/** The client of the API: calls use HTTP, room subscriptions share one WebSocket. */
export let hub = connection.client;

/**
 * Opens a new connection after the user signed in or out. A WebSocket keeps the identity that it
 * was opened with.
 */
export function reconnect(): void {
  void connection.close();
  connection = connect();
  hub = connection.client;
}
