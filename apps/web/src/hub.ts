import { createHubClient } from "@soul-hub/client";

const connect = () => createHubClient({ baseUrl: location.origin });

let connection = connect();

/** The hub as this page sees it. Calls travel over HTTP, rooms over one socket. */
export let hub = connection.client;

/**
 * A socket is who it was when it opened. After signing in or out the next room gets a new one.
 */
export function reconnectAsSomebodyElse(): void {
  void connection.close();
  connection = connect();
  hub = connection.client;
}
