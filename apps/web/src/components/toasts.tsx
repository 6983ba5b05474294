import type { NotificationData } from "@mantine/notifications";
import { lazy, Suspense, useSyncExternalStore } from "react";

const loadNotifications = () => import("@mantine/notifications");

const Notifications = lazy(() =>
  loadNotifications().then((module) => ({ default: module.Notifications })),
);

let isWanted = false;
const listeners = new Set<() => void>();

/** Says something in passing. What says it is loaded with the first word. */
export async function toast(data: NotificationData): Promise<void> {
  isWanted = true;
  for (const listener of listeners) listener();
  const { notifications } = await loadNotifications();
  notifications.show(data);
}

export function Toasts() {
  const isShown = useSyncExternalStore(subscribe, () => isWanted);
  if (!isShown) return null;
  return (
    <Suspense>
      <Notifications position="bottom-center" />
    </Suspense>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
