/** The deletions that can still be undone, each with the function that sends it to the hub. */
export const waitingDeletions = new Map<string, () => Promise<void>>();

/** Sends the waiting deletions: before a page or an account is left. */
export const sendDeletions = () =>
  Promise.all([...waitingDeletions.values()].map((send) => send()));

addEventListener("pagehide", () => void sendDeletions());
