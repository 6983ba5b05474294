/** A session token of 128 random bits, since the token alone gives access to a public room. */
export function newRoomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
