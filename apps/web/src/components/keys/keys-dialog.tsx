import { Modal, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { me } from "../../queries.ts";
import { caseActions } from "./case-actions.ts";
import { MODIFIER } from "./shortcuts.ts";
import { areSingleKeysOn, setSingleKeys } from "./single-keys.ts";

interface KeyGroup {
  name: string;
  keys: readonly { keys: readonly string[]; does: string }[];
}

const groups: readonly KeyGroup[] = [
  {
    name: "Everywhere",
    keys: [
      { keys: [MODIFIER, "K"], does: "Find a page, a soul or a room" },
      { keys: ["/"], does: "Search souls" },
      { keys: ["?"], does: "Show these keys" },
    ],
  },
  {
    name: "In a room",
    keys: [
      { keys: ["Enter"], does: "Send the message" },
      { keys: ["Shift", "Enter"], does: "Begin a new line" },
      { keys: ["↑"], does: "In an empty message: edit your last one" },
      { keys: ["@"], does: "Mention a soul or a person" },
      { keys: ["Esc"], does: "Stop the reply, or close what is open" },
    ],
  },
];

/** The keys of the staff page. Only the staff can open that page. */
const staffGroups: readonly KeyGroup[] = [
  {
    name: "Moderation",
    keys: [
      { keys: ["j"], does: "Next case, as ↓" },
      { keys: ["k"], does: "Previous case, as ↑" },
      { keys: ["Enter"], does: "Open the case" },
      { keys: ["n"], does: "Open a case without a report" },
      { keys: ["Esc"], does: "Back to all cases, as b" },
    ],
  },
  {
    name: "In a case",
    keys: [
      ...caseActions.map(({ hotkey, label }) => ({ keys: [hotkey], does: label })),
      { keys: [MODIFIER, "Enter"], does: "In the dialog of an action: decide" },
    ],
  },
];

/** Whether the page of the staff is open, and not the page of a wrong address in its place. */
function useIsStaffPage(): boolean {
  const isAdmin = useLocation({ select: ({ pathname }) => pathname === "/admin" });
  const { data: user } = useQuery(me);
  return (
    isAdmin && Boolean(user && user.role !== "member" && user.moderation?.state !== "suspended")
  );
}

/** The list of keyboard shortcuts. */
export function KeysDialog({ isOpened, onClose }: { isOpened: boolean; onClose: () => void }) {
  const [isOn, setIsOn] = useState(areSingleKeysOn);
  const shown = useIsStaffPage() ? [...groups, ...staffGroups] : groups;
  return (
    <Modal opened={isOpened} onClose={onClose} title="Keyboard shortcuts">
      {shown.map(({ name, keys }) => (
        <section key={name} className="keys">
          <h3 className="subheading">{name}</h3>
          <dl>
            {keys.map(({ keys: pressed, does }) => (
              <div key={does} className="row row--apart">
                <dt>{does}</dt>
                <dd>
                  {pressed.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Switch
        label="Use / and ? as shortcuts"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => {
          setSingleKeys(checked);
          setIsOn(checked);
        }}
      />
    </Modal>
  );
}
