import type { ModAction, ModCase } from "../../queries.ts";

export interface CaseAction {
  action: ModAction;
  /** The key that opens the action. */
  hotkey: string;
  label: string;
  /** The effect of the action, shown in the dialog. */
  does: string;
  isPossible: (shown: ModCase) => boolean;
}

const isPerson = ({ target }: ModCase) => target.username !== null;
const lasting = new Set<ModAction>([
  "hide_soul",
  "remove_message",
  "close_room",
  "silence",
  "suspend",
]);

/** Whether a decision of the case is still in effect, or an appeal waits to be granted. */
const canRestore = ({ state, decisions }: ModCase) =>
  state === "appealed" ||
  decisions.some(({ action, undone_at }) => lasting.has(action) && undone_at === null);

/** The actions of the staff, in the order of the page. The hub checks them again. */
export const caseActions: readonly CaseAction[] = [
  {
    action: "dismiss",
    hotkey: "d",
    label: "Dismiss",
    does: "The case is closed. An appeal, if there is one, is refused.",
    isPossible: ({ state }) => state !== "closed",
  },
  {
    action: "warn",
    hotkey: "w",
    label: "Warn",
    does: "The author gets your message. Nothing else changes.",
    isPossible: isPerson,
  },
  {
    action: "hide_soul",
    hotkey: "h",
    label: "Hide the soul",
    does: "Only its author sees it from now on. It leaves lists, search and rooms.",
    isPossible: ({ kind }) => kind === "soul",
  },
  {
    action: "remove_message",
    hotkey: "m",
    label: "Remove the message",
    does: "Its text disappears for everyone at once. A sealed copy stays for an appeal.",
    isPossible: ({ kind }) => kind === "message",
  },
  {
    action: "close_room",
    hotkey: "c",
    label: "Close the room",
    does: "Everyone but its owner leaves the room, and nobody else enters it.",
    isPossible: ({ kind }) => kind === "room",
  },
  {
    action: "silence",
    hotkey: "s",
    label: "Silence the author",
    does: "The author can read, but not write, for some days.",
    isPossible: isPerson,
  },
  {
    action: "suspend",
    hotkey: "u",
    label: "Suspend the author",
    does: "The author can only read notices, appeal, export and delete. The author's souls are hidden.",
    isPossible: isPerson,
  },
  {
    action: "restore",
    hotkey: "r",
    label: "Restore",
    does: "Everything that the decisions of this case did is taken back.",
    isPossible: canRestore,
  },
];

export const possibleActions = (shown: ModCase): readonly CaseAction[] =>
  caseActions.filter(({ isPossible }) => isPossible(shown));

export const labelOf = (action: ModAction): string =>
  caseActions.find((one) => one.action === action)?.label ?? action;
