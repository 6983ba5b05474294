/** The oldest release that the hub is tested with (docs/decisions/0016). */
const OLDEST_MAJOR = 7;

/** Why Redis can't be used, as a code: the system's own, or one of those below. */
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
  const said = String(message);
  if (/^(WRONGPASS|NOAUTH)|without any password configured/.test(said)) return "WRONGPASS";
  if (/^NOPERM/.test(said)) return "NOPERM";
  if (/unknown command|NOPROTO/i.test(said)) return "REDIS_TOO_OLD";
  return "NOT_REDIS";
}

interface Asked {
  info(section: string): Promise<string>;
}

/** Valkey says in the same line which Redis it stands for. */
export async function checkVersion(client: Asked | undefined): Promise<void> {
  const said = await client?.info("server");
  const major = Number(/^redis_version:(\d+)\./m.exec(said ?? "")?.[1]);
  if (major >= OLDEST_MAJOR) return;
  throw Object.assign(new Error(`release ${major}`), { code: "REDIS_TOO_OLD" });
}
