import "./message-actions.css";
import type { ReactNode, Ref } from "react";
import { BanIcon, EditIcon, FlagIcon, MoreIcon, SmileIcon, TrashIcon } from "../../../icons.tsx";

/** The open panel below a message, or the editor in its place. */
export type OpenTool = "react" | "edit" | "remove" | "restrict" | "report";

interface MessageToolsProps {
  /** The tools that the reader may use. */
  tools: readonly OpenTool[];
  /** True while the tools are shown: the pointer is over the message, or its button was pressed. */
  isShown: boolean;
  isPressed: boolean;
  onPress: () => void;
  onOpen: (tool: OpenTool) => void;
  button: Ref<HTMLButtonElement>;
}

const names: Readonly<Record<OpenTool, readonly [label: string, icon: ReactNode]>> = {
  react: ["React", <SmileIcon key="react" size={18} />],
  edit: ["Edit message", <EditIcon key="edit" size={18} />],
  remove: ["Remove message", <TrashIcon key="remove" size={18} />],
  restrict: ["Mute or ban the sender", <BanIcon key="restrict" size={18} />],
  report: ["Report message", <FlagIcon key="report" size={18} />],
};

/**
 * The tools of a message, beside its name. They are rendered only while they are shown, because a
 * long room has hundreds of messages. With a touch screen or a keyboard, a button shows them.
 */
export function MessageTools(props: MessageToolsProps) {
  const { tools, isShown, isPressed, onPress, onOpen, button } = props;
  return (
    <div className="message-tools">
      <button
        ref={button}
        type="button"
        className="plain-button message-tools__more"
        aria-label="Message actions"
        aria-expanded={isPressed}
        onClick={onPress}
      >
        <MoreIcon size={20} />
      </button>
      {isShown && (
        <span className="message-tools__row">
          {tools.map((tool) => {
            const [label, icon] = names[tool];
            return (
              <button
                key={tool}
                type="button"
                className="plain-button"
                aria-label={label}
                title={label}
                onClick={() => onOpen(tool)}
              >
                {icon}
              </button>
            );
          })}
        </span>
      )}
    </div>
  );
}
