import "./toasts.css";
import type { NotificationData } from "@mantine/notifications";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { failureOf } from "../../failures.ts";

const loadNotifications = () => import("@mantine/notifications");

const Notifications = lazy(() =>
  loadNotifications().then((module) => ({ default: module.Notifications })),
);

let isWanted = false;
const listeners = new Set<() => void>();

/** Shows a toast. The notification system loads with the first toast. */
export async function toast(data: NotificationData): Promise<void> {
  isWanted = true;
  for (const listener of listeners) listener();
  const { notifications } = await loadNotifications();
  notifications.show(data);
}

/** Shows a toast with the reason why a call failed. */
export function toastFailure(error: unknown): void {
  const { title, hint } = failureOf(error);
  void toast({ color: "red", title, message: hint });
}

export function Toasts() {
  const isShown = useSyncExternalStore(subscribe, () => isWanted);
  if (!isShown) return null;
  return (
    <Suspense>
      <Notifications position="top-center" />
    </Suspense>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
