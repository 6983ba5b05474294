import "./person-avatar.css";

interface PersonAvatarProps {
  name: string;
  kind?: "member" | "guest";
  size?: number;
}

/** A person's initial on a colour derived from the name. Guests have a dashed ring. */
export function PersonAvatar({ name, kind = "member", size = 32 }: PersonAvatarProps) {
  // A guest without a chosen name has the last characters of "Anonymous #1a2b".
  const label = name.startsWith("Anonymous #") ? name.slice(-2) : [...name][0];
  return (
    <span
      aria-hidden="true"
      className="person-avatar"
      data-kind={kind}
      style={
        {
          width: size,
          height: size,
          fontSize: size * 0.42,
          "--hue": hueOf(name),
        } as React.CSSProperties
      }
    >
      {label?.toUpperCase()}
    </span>
  );
}

/** Hashes the name (MurmurHash3 finalizer), so that similar names differ in hue. */
function hueOf(name: string): number {
  let hash = 7;
  for (const unit of name) hash = (Math.imul(hash, 31) + (unit.codePointAt(0) ?? 0)) | 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % 360;
}
