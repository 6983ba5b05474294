import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { type ChatSession, me, myChats, type RoomName } from "../../queries.ts";
import { linkTo } from "../ui/open-room.ts";
import { noticeState } from "./notice-setting.ts";

const POLL_MS = 25_000;
/** Notices of the staff and open cases are rarer than messages. */
const ACCOUNT_POLL_MS = 120_000;

/**
 * Keeps the list of an account's rooms and what waits for it fresh, on every page, and shows
 * notifications of mentions. A hidden tab asks the hub only if its owner wants notifications. It
 * renders nothing.
 */
export function RoomWatch({ username }: { username: string }) {
  const navigate = useNavigate();
  const hasNotices = () => noticeState(username) === "on";
  const { data, dataUpdatedAt } = useQuery({
    ...myChats,
    refetchInterval: () => (document.hidden && !hasNotices() ? false : POLL_MS),
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: "always",
  });
  useQuery({ ...me, refetchInterval: ACCOUNT_POLL_MS, refetchOnWindowFocus: true });
  const open = (room: RoomName | undefined) => {
    void navigate(room ? linkTo(room) : { to: "/my-chats" });
  };
  const notice = useEffectEvent(async (rooms: readonly ChatSession[]) => {
    if (!hasNotices()) return;
    const { noticeMentions } = await import("./mention-notices.ts");
    await noticeMentions(username, rooms, open);
  });
  useEffect(() => {
    if (data && dataUpdatedAt) void notice(data.sessions);
  }, [data, dataUpdatedAt]);
  return null;
}
