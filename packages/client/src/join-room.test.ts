import type { RoomEvent } from "@soul-hub/api";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { joinRoom } from "./join-room.ts";
import type { LiveRoomsClient } from "./rooms-client.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Sync = LiveRoomsClient["rooms"]["sync"]["query"];
type Subscribe = LiveRoomsClient["rooms"]["live"]["subscribe"];

/**
 * Joins a room with a fake client. The returned `send` passes an event to the newest subscription.
 */
function fakeHub() {
  const unsubscribe = vi.fn();
  const subscribe = vi.fn<Subscribe>(() => ({ unsubscribe }));
  const handlers = (index = -1) => {
    const call = subscribe.mock.calls.at(index);
    if (!call) throw new Error("no subscription yet");
    return call[1];
  };
  const onChange = vi.fn();
  // The promise of a query never resolves, as if the hub did not respond.
  const query = vi.fn<Sync>(() => new Promise(() => {}));
  const client = { rooms: { live: { subscribe }, sync: { query } } };
  const room = joinRoom({ client, soul_id: 1, session_token: "lobby" });
  room.subscribe(onChange);
  return {
    room,
    onChange,
    subscribe,
    query,
    unsubscribe,
    handlers,
    send: (data: RoomEvent, index = -1) => handlers(index).onData({ id: "1", data }),
  };
}

const sync: Extract<RoomEvent, { type: "sync" }> = {
  type: "sync",
  recovered: true,
  head: 4,
  revision: 0,
  online_count: 1,
  participants: [{ name: "ada", kind: "member", since_id: 4 }],
  replies: [],
};
const message: Extract<RoomEvent, { type: "message" }> = {
  type: "message",
  id: 4,
  prev_id: 2,
  parent_id: 2,
  role: "user",
  sender_name: "ada",
  content: "hello",
};
const failure = (error: string, httpStatus: number) => ({
  message: "No.",
  data: { error, httpStatus },
});

describe("joinRoom", () => {
  it("becomes live with the sync, and creates one snapshot per change", () => {
    const hub = fakeHub();
    expect(hub.room.getSnapshot()).toMatchObject({ connection: "connecting", messages: [] });
    hub.send(message);
    hub.send(sync);
    const snapshot = hub.room.getSnapshot();
    expect(hub.room.getSnapshot()).toBe(snapshot);
    expect(snapshot).toMatchObject({
      connection: "live",
      messages: [{ id: 4 }],
      online_count: 1,
      error: undefined,
    });
    expect(hub.onChange).toHaveBeenCalledTimes(2);
  });

  it("shows `reconnecting` while the socket reconnects by itself", () => {
    const hub = fakeHub();
    hub.send(message);
    hub.send(sync);
    hub.handlers().onConnectionStateChange({ state: "connecting" });
    expect(hub.room.getSnapshot().connection).toBe("reconnecting");
    hub.handlers().onConnectionStateChange({ state: "pending" });
    hub.send(sync);
    expect(hub.room.getSnapshot().connection).toBe("live");
    expect(hub.subscribe).toHaveBeenCalledTimes(1);
  });

  it("subscribes again from its cursor after the hub ended the subscription", async () => {
    const hub = fakeHub();
    hub.send(message);
    hub.send(sync);
    hub.handlers().onError(failure("shutting_down", 503));
    hub.handlers().onComplete();
    expect(hub.room.getSnapshot()).toMatchObject({
      connection: "reconnecting",
      error: { code: "shutting_down" },
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(hub.subscribe).toHaveBeenCalledTimes(2);
    expect(hub.subscribe.mock.lastCall?.[0]).toEqual({
      soul_id: 1,
      session_token: "lobby",
      last_id: 4,
    });
    hub.send(sync, 0);
    expect(hub.room.getSnapshot().connection).toBe("reconnecting");
    hub.send(sync);
    expect(hub.room.getSnapshot()).toMatchObject({ connection: "live", error: undefined });
  });

  it("is live again within 4 s after a hub that was away for minutes", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const hub = fakeHub();
    hub.send(sync);
    hub.query.mockRejectedValue(new TypeError("Failed to fetch"));
    hub.subscribe.mockImplementation((_, { onError }) => {
      queueMicrotask(() => onError(new Error("refused")));
      return { unsubscribe: hub.unsubscribe };
    });
    hub.handlers().onError(new Error("closed"));
    await vi.advanceTimersByTimeAsync(300_000);
    expect(hub.room.getSnapshot().connection).toBe("reconnecting");
    const { type: _, room: __, ...state } = sync;
    const response = { ...state, new_messages: [], has_more: false, is_private: false };
    const you = { name: "ada", kind: "member" as const, is_owner: false };
    hub.query.mockResolvedValue({ ...response, you });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(hub.room.getSnapshot()).toMatchObject({ connection: "live", via: "poll" });
    vi.mocked(Math.random).mockRestore();
  });

  it.each([
    ["private_session", 403],
    ["soul_not_found", 404],
    ["unauthenticated", 401],
  ])("closes permanently on %s", async (code, status) => {
    const hub = fakeHub();
    hub.handlers().onError(failure(code, status));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hub.room.getSnapshot()).toMatchObject({ connection: "closed", error: { code } });
    expect(hub.subscribe).toHaveBeenCalledTimes(1);
  });

  it("falls back after a timeout, and to polling at once on retryNow", async () => {
    const hub = fakeHub();
    const used = () => hub.subscribe.mock.calls.map(([, { context }]) => context.transport);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(used()).toEqual(["socket", "stream"]);
    expect(hub.unsubscribe).toHaveBeenCalledTimes(1);
    hub.send(message, 0);
    expect(hub.room.getSnapshot()).toMatchObject({ via: "stream", messages: [] });
    hub.room.retryNow();
    expect(hub.room.getSnapshot().via).toBe("poll");
    expect(hub.query).toHaveBeenCalledTimes(1);
    hub.room.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("reports when the connection was lost", async () => {
    const hub = fakeHub();
    hub.send(sync);
    expect(hub.room.getSnapshot().lost_at).toBeUndefined();
    hub.handlers().onConnectionStateChange({ state: "connecting" });
    const lostAt = Date.now();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(hub.room.getSnapshot().lost_at).toBe(lostAt);
    hub.send(sync);
    expect(hub.room.getSnapshot().lost_at).toBeUndefined();
  });

  it("ignores an earlier failure of the shared socket during an upgrade", async () => {
    const hub = fakeHub();
    await vi.advanceTimersByTimeAsync(6_000);
    hub.send(sync);
    hub.subscribe.mockImplementationOnce((_, { onConnectionStateChange }) => {
      onConnectionStateChange({ state: "connecting", error: new Error("It was cut.") });
      return { unsubscribe: hub.unsubscribe };
    });
    hub.room.retryNow();
    expect(hub.subscribe).toHaveBeenCalledTimes(3);
    hub.send(sync);
    expect(hub.room.getSnapshot()).toMatchObject({ connection: "live", via: "socket" });
    hub.room.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("upgrades in parallel to a transport that is ahead, without duplicates", async () => {
    const hub = fakeHub();
    hub.send({ ...message, prev_id: 0 });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(hub.subscribe.mock.lastCall?.[0].last_id).toBe(4);
    hub.send(sync);
    await vi.advanceTimersByTimeAsync(3_000);
    const [, stream, socket] = [0, 1, 2];
    hub.send({ ...message, id: 5, prev_id: 4 }, socket);
    hub.send({ ...message, id: 5, prev_id: 4 }, stream);
    hub.send({ ...message, id: 6, prev_id: 5 }, stream);
    expect(hub.room.getSnapshot().via).toBe("stream");
    hub.send({ ...sync, head: 5 }, socket);
    hub.send({ ...message, id: 7, prev_id: 6 }, stream);
    hub.send({ ...message, id: 6, prev_id: 5 }, socket);
    hub.send({ ...message, id: 7, prev_id: 6 }, socket);
    const { via, messages } = hub.room.getSnapshot();
    expect([via, messages.map(({ id }) => id)]).toEqual(["socket", [4, 5, 6, 7]]);
    hub.room.close();
  });

  it("asks for a change that it missed, again after a failure, and until it has all", async () => {
    const hub = fakeHub();
    hub.send(message);
    hub.send(sync);
    const { type: _, prev_id: __, ...line } = message;
    const { room: ___, ...rest } = sync;
    const response = (revision: number) => ({
      ...rest,
      is_private: false,
      you: { name: "ada", kind: "member" as const, is_owner: true },
      new_messages: [],
      has_more: false,
      changes_more: false,
      revision,
      changes: [{ ...line, content: `r${revision}`, revision }],
    });
    hub.query.mockRejectedValueOnce(new Error("The network failed."));
    hub.query.mockResolvedValueOnce(response(1));
    hub.query.mockResolvedValueOnce(response(3));
    hub.send({ type: "changed", revision: 3, prev_revision: 2 });
    await vi.advanceTimersByTimeAsync(500);
    expect(hub.query.mock.calls.map(([{ last_id, revision }]) => [last_id, revision])).toEqual([
      [4, 0],
      [4, 0],
      [4, 1],
    ]);
    expect(hub.room.getSnapshot()).toMatchObject({ revision: 3, messages: [{ content: "r3" }] });
    hub.send({ type: "changed", revision: 4, prev_revision: 3, messages: [] });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hub.query).toHaveBeenCalledTimes(3);
    hub.room.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("expires typing indicators", async () => {
    const hub = fakeHub();
    hub.send(sync);
    hub.send({ type: "typing", sender_name: "bob" });
    expect(hub.room.getSnapshot().typing).toEqual(["bob"]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(hub.room.getSnapshot().typing).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("unsubscribes and clears its timers on close", () => {
    const hub = fakeHub();
    const listener = vi.fn();
    const stop = hub.room.subscribe(listener);
    hub.send({ type: "typing", sender_name: "bob" });
    stop();
    hub.room.close();
    hub.room.close();
    hub.handlers().onComplete();
    hub.send(sync);
    expect(hub.unsubscribe).toHaveBeenCalledTimes(1);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(hub.room.getSnapshot().connection).toBe("closed");
    expect(vi.getTimerCount()).toBe(0);
  });
});
