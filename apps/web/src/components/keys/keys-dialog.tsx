import "./keys-dialog.css";
import { Modal, Switch } from "@mantine/core";
import { useState } from "react";
import { MODIFIER } from "./shortcuts.ts";
import { areSingleKeysOn, setSingleKeys } from "./single-keys.ts";

interface KeysDialogProps {
  isOpened: boolean;
  onClose: () => void;
}

const groups = [
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
] as const;

/** The list of keyboard shortcuts. */
export function KeysDialog({ isOpened, onClose }: KeysDialogProps) {
  const [isOn, setIsOn] = useState(areSingleKeysOn);
  return (
    <Modal opened={isOpened} onClose={onClose} title="Keyboard shortcuts">
      {groups.map(({ name, keys }) => (
        <section key={name} className="keys">
          <h3>{name}</h3>
          <dl>
            {keys.map(({ keys: pressed, does }) => (
              <div key={does}>
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
