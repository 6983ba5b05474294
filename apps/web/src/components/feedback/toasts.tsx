import "./toasts.css";
import type { NotificationData } from "@mantine/notifications";
import { useSyncExternalStore } from "react";
import { failureOf } from "../../failures.ts";
import { lazyPart } from "../ui/lazy-part.tsx";

const loadNotifications = () => import("@mantine/notifications");

const Notifications = lazyPart(loadNotifications, "Notifications");

let isWanted = false;
const listeners = new Set<() => void>();

/** Shows a toast. The notification system loads with the first toast. */
export async function toast(data: NotificationData): Promise<void> {
  isWanted = true;
  for (const listener of listeners) listener();
  const { notifications } = await loadNotifications();
  notifications.show(data);
}

/** Hides a toast. The page takes the focus, if a toast has it. */
export async function hideToast(id: string): Promise<void> {
  const hasFocus = document.activeElement?.closest(".mantine-Notifications-root");
  if (hasFocus) document.getElementById("main")?.focus({ preventScroll: true });
  (await loadNotifications()).notifications.hide(id);
}

/** Shows a toast with the reason why a call failed. */
export function toastFailure(error: unknown): void {
  const { title, hint } = failureOf(error);
  void toast({ color: "red", title, message: hint });
}

export function Toasts() {
  const isShown = useSyncExternalStore(subscribe, () => isWanted);
  if (!isShown) return null;
  return <Notifications position="top-center" />;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
