import type { RoomEvent } from "@soul-hub/api";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveRoomsClient } from "./join-room.ts";
import { joinRoom } from "./join-room.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Subscribe = LiveRoomsClient["rooms"]["live"]["subscribe"];

/** A hub whose events the test sends by hand, to the newest subscription. */
function fakeHub() {
  const unsubscribe = vi.fn();
  const subscribe = vi.fn<Subscribe>(() => ({ unsubscribe }));
  const handlers = (index = -1) => {
    const call = subscribe.mock.calls.at(index);
    if (!call) throw new Error("nobody subscribed");
    return call[1];
  };
  const onChange = vi.fn();
  const client = { rooms: { live: { subscribe } } };
  const room = joinRoom({ client, soul_id: 1, session_token: "lobby", onChange });
  return {
    room,
    onChange,
    subscribe,
    unsubscribe,
    handlers,
    send: (data: RoomEvent, index = -1) => handlers(index).onData({ id: "1", data }),
  };
}

const sync: RoomEvent = {
  type: "sync",
  recovered: true,
  head: 4,
  online_count: 1,
  participants: [{ name: "ada", kind: "member" }],
  replies: [],
};
const message: RoomEvent = {
  type: "message",
  id: 4,
  prev_id: 2,
  role: "user",
  sender_name: "ada",
  content: "hello",
};
const failure = (error: string, httpStatus: number) => ({
  message: "No.",
  data: { error, httpStatus },
});

describe("joinRoom", () => {
  it("is live from its sync on, with one snapshot per change", () => {
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

  it("says so while the socket is away, and resumes by its own", () => {
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

  it("asks again from where it was when the hub ended the subscription", async () => {
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

  it.each([
    ["private_session", 403],
    ["soul_not_found", 404],
    ["unauthenticated", 401],
  ])("stops for good on %s", async (code, status) => {
    const hub = fakeHub();
    hub.handlers().onError(failure(code, status));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hub.room.getSnapshot()).toMatchObject({ connection: "closed", error: { code } });
    expect(hub.subscribe).toHaveBeenCalledTimes(1);
  });

  it("forgets who stopped typing", async () => {
    const hub = fakeHub();
    hub.send({ type: "typing", sender_name: "bob" });
    expect(hub.room.getSnapshot().typing).toEqual(["bob"]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(hub.room.getSnapshot().typing).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves nothing behind when closed", () => {
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
