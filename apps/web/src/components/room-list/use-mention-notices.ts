import { useState } from "react";
import { myChats, queryClient } from "../../queries.ts";
import { toastFailure } from "../feedback/toasts.tsx";
import { takeNewMentions } from "./mention-notices.ts";
import { type NoticeState, noticeState, storeNotices } from "./notice-setting.ts";

/** What each state means, or how to leave it. */
export const noticeHints: Readonly<Record<NoticeState, string>> = {
  on: "This browser shows a notification while Soul Hub is open in a tab.",
  off: "Your browser asks for your permission first.",
  blocked:
    "Your browser blocks notifications of this site. Allow them in its settings, then reload the page.",
  unsupported: "This browser can't show notifications here.",
};

/** @returns false on phones, whose browsers leave notifications to apps */
function showSample(): boolean {
  try {
    const body = "You will see mentions of you like this.";
    new Notification("Notifications are on", { body, tag: "sample", icon: "/icon-192.png" });
    return true;
  } catch {
    return false;
  }
}

/** Notifications of mentions in this browser. Only a click on what turns them asks for permission. */
export function useMentionNotices(username: string) {
  const [state, setState] = useState(() => noticeState(username));
  const turn = async (isOn: boolean) => {
    const next = isOn ? await turnOn(username) : noticeStateAfter(username, false);
    setState(next);
    return next;
  };
  return { label: `Notify me when a message contains @${username}`, state, turn };
}

async function turnOn(username: string): Promise<NoticeState> {
  await Notification.requestPermission();
  try {
    const { sessions } = await queryClient.fetchQuery(myChats);
    // Mentions up to now are known then, so that only later ones are shown.
    await takeNewMentions(username, sessions);
  } catch (error) {
    toastFailure(error);
    return noticeState(username);
  }
  if (Notification.permission === "granted" && !showSample()) return "unsupported";
  return noticeStateAfter(username, true);
}

const noticeStateAfter = (username: string, isOn: boolean): NoticeState =>
  storeNotices(username, isOn) ? noticeState(username) : "unsupported";
