/** Asks a message to open its editor. Each object is one request. */
export interface EditRequest {
  id: number;
  /** Called instead of focusing the message's own button. */
  onClose: () => void;
}
