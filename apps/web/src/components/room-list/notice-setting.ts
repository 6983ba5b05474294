/** Whether the member wants to be notified of mentions, in this browser. */
const keyOf = (username: string) => `soulhub-mention-notices/${username}`;

export type NoticeState = "on" | "off" | "blocked" | "unsupported";

export function noticeState(username: string): NoticeState {
  // Browsers offer notifications and locks only over HTTPS and on localhost.
  if (!("Notification" in window) || !navigator.locks) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && read(username) ? "on" : "off";
}

function read(username: string): boolean {
  try {
    return localStorage.getItem(keyOf(username)) === "on";
  } catch {
    return false;
  }
}

/** @returns false if this browser's storage is disabled */
export function storeNotices(username: string, isOn: boolean): boolean {
  try {
    if (isOn) localStorage.setItem(keyOf(username), "on");
    else localStorage.removeItem(keyOf(username));
    return true;
  } catch {
    return false;
  }
}
