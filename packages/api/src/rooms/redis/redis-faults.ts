/** The oldest major release of Redis that the hub is tested with (docs/decisions/0016). */
const OLDEST_MAJOR = 7;

/**
 * Thrown if Redis can't be used. `code` is a system error code such as ECONNREFUSED, or a word such
 * as NOPERM that `codeOf` derives from the message.
 */
export class RedisConnectError extends Error {
  override name = "RedisConnectError";
  readonly code: string;

  constructor(cause: unknown) {
    super("Redis can't be used", { cause });
    this.code = codeOf(cause);
  }
}

function codeOf(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  if (typeof code === "string") return code;
  const text = String(message);
  if (/^(WRONGPASS|NOAUTH)|without any password configured/.test(text)) return "WRONGPASS";
  if (/^NOPERM/.test(text)) return "NOPERM";
  if (/unknown command|NOPROTO/i.test(text)) return "REDIS_TOO_OLD";
  return "NOT_REDIS";
}

/**
 * Checks the server's release. Valkey reports its compatible Redis release as `redis_version`.
 * @throws Error with the code REDIS_TOO_OLD
 */
export async function checkVersion(
  client: { info(section: string): Promise<string> } | undefined,
): Promise<void> {
  const info = await client?.info("server");
  const major = Number(/^redis_version:(\d+)\./m.exec(info ?? "")?.[1]);
  if (major >= OLDEST_MAJOR) return;
  throw Object.assign(new Error(`release ${major}`), { code: "REDIS_TOO_OLD" });
}
