import { HubError } from "../../errors.ts";

/** What the SQL function `branch_refusal` returns instead of null. */
export type BranchRefusal = "message_not_found" | "not_owner" | "limit_reached";

const messages = {
  message_not_found: "This conversation has no such message, or it was removed.",
  not_owner:
    "Only the owner of this conversation can branch anywhere. You can branch at your last question, until another person writes.",
  limit_reached: "A message can have at most 20 continuations.",
} as const satisfies Record<BranchRefusal, string>;

export const branchError = (refusal: BranchRefusal): HubError =>
  new HubError(refusal, { message: messages[refusal] });
