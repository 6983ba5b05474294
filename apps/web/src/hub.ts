import { createHubClient } from "@soul-hub/client";

const connect = () => createHubClient({ baseUrl: location.origin });

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
