import { readItem, writeItem } from "../../stored-item.ts";

/** Whether the member wants to be notified of mentions, in this browser. */
const keyOf = (username: string) => `soulhub-mention-notices/${username}`;

export type NoticeState = "on" | "off" | "blocked" | "unsupported";

export function noticeState(username: string): NoticeState {
  // Browsers offer notifications and locks only over HTTPS and on localhost.
  if (!("Notification" in window) || !navigator.locks) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && readItem(keyOf(username)) === "on" ? "on" : "off";
}

/** @returns false if this browser's storage is disabled */
export const storeNotices = (username: string, isOn: boolean): boolean =>
  writeItem(keyOf(username), isOn ? "on" : undefined);
