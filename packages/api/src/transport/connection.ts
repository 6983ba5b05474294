declare module "../context.ts" {
  interface RequestContext {
    connection: Connection;
    /**
     * Set for tRPC calls over HTTP. Aborts with a HubError when an SSE client has to move to
     * another server.
     */
    leaving?: AbortSignal | undefined;
  }
}

/** The WebSocket or HTTP request on which a call came in. */
export interface Connection {
  /**
   * Aborts when the WebSocket of the call closes. Undefined for HTTP calls, for which tRPC itself
   * provides such a signal.
   */
  readonly closed?: AbortSignal;
  /** Asks the client of a WebSocket to open another one. */
  reconnect?(): void;
}
