import type { CallContext } from "../../context.ts";
import { failureCodeOf } from "../../errors.ts";

/** Runs a login and counts its outcome in the metrics. */
export async function countLogin<Result>(
  { hub }: Pick<CallContext, "hub">,
  way: "password" | "passkey" | "wallet",
  login: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await login();
    hub.metrics.logins.note({ way, outcome: "ok" });
    return result;
  } catch (error) {
    hub.metrics.logins.note({ way, outcome: failureCodeOf(error) });
    throw error;
  }
}
