import type { Me } from "../../queries.ts";

const counted = (count: number, one: string) =>
  count === 0 ? [] : [`${count} ${one}${count === 1 ? "" : "s"}`];

/** The props of the account's button: its name, with what waits, and a dot if anything does. */
export function accountButton({ username, unread_notices, open_cases = 0 }: Me) {
  const news = [...counted(unread_notices, "new notice"), ...counted(open_cases, "open case")];
  return {
    className: "header__account",
    label: [`Your account, ${username}`, ...news].join(", "),
    "data-news": news.length > 0,
  };
}
