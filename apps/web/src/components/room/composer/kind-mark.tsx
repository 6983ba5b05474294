import { OffRecordIcon } from "../../icons.tsx";
import type { MessageKind } from "../room-storage.ts";

/** Says that the next message is read by people alone. */
export function KindMark({ kind }: { kind: MessageKind }) {
  if (kind !== "off-record") return null;
  return (
    <p className="small composer__mark">
      <OffRecordIcon size={15} /> <strong>Off the record.</strong> People here read it, a soul never
      does.
    </p>
  );
}
