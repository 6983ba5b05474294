import type { QueryKey } from "@tanstack/react-query";
import { invalidate } from "../../queries.ts";
import { toast } from "./toasts.tsx";

/**
 * The end of a change: refreshes the data that it concerns, then shows the hub's answer as a toast.
 * @param onDone called before the toast, for example to close the form
 */
export const afterChange =
  (keys: readonly QueryKey[], onDone?: () => void) =>
  async ({ message }: { message: string }): Promise<void> => {
    await invalidate(...keys);
    onDone?.();
    void toast({ message });
  };
