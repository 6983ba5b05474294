/** The open panel below a message, or the editor in its place. */
export type OpenTool = "react" | "edit" | "made" | "restrict" | "report";

/** Asks a message to open a tool. Each object is one request. */
export interface ToolRequest {
  id: number;
  tool: OpenTool;
  /** Called at the end instead of focusing the message's own button. */
  onClose?: () => void;
}

/** The message whose menu is open, and the button that opened the menu. */
export interface OpenMenu {
  id: number;
  opener: HTMLElement;
}
