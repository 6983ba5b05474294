import { Switch } from "@mantine/core";
import { useState } from "react";
import { myChats, queryClient } from "../../queries.ts";
import { toastFailure } from "../feedback/toasts.tsx";
import { takeNewMentions } from "./mention-notices.ts";
import { type NoticeState, noticeState, storeNotices } from "./notice-setting.ts";

const hints: Readonly<Record<NoticeState, string>> = {
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

/** Turns notifications of mentions on or off, for this browser. Only a click asks for permission. */
export function MentionSwitch({ username }: { username: string }) {
  const [state, setState] = useState(() => noticeState(username));
  const turn = async (isOn: boolean) => {
    if (isOn) {
      await Notification.requestPermission();
      try {
        const { sessions } = await queryClient.fetchQuery(myChats);
        // Mentions up to now are known then, so that only later ones are shown.
        await takeNewMentions(username, sessions);
      } catch (error) {
        return toastFailure(error);
      }
      if (Notification.permission === "granted" && !showSample()) return setState("unsupported");
    }
    const isStored = storeNotices(username, isOn);
    setState(isStored ? noticeState(username) : "unsupported");
  };
  return (
    <Switch
      label={`Notify me when a message contains @${username}`}
      description={hints[state]}
      checked={state === "on"}
      disabled={state === "blocked" || state === "unsupported"}
      onChange={({ currentTarget }) => void turn(currentTarget.checked)}
    />
  );
}
