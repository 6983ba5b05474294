import { type Faults, unknownHost, unreachable } from "@soul-hub/api/operator";

/** The faults of the settings that only the server has. */
export const serverFaults: Faults = {
  PORT: [
    [["EADDRINUSE"], "is in use by another program"],
    [["EACCES"], "may not be opened by this user"],
  ],
  HOST: [unknownHost, [["EADDRNOTAVAIL"], "is not an address of this machine"]],
  REDIS_URL: [
    unreachable("Is Redis running there?"),
    unknownHost,
    [["WRONGPASS"], "refuses this user or password"],
    [["NOPERM"], "refuses this user a command that the hub needs"],
    [["REDIS_TOO_OLD"], "is too old: the hub needs Redis 7.0, or Valkey"],
    [["NOT_REDIS"], "does not answer as Redis does"],
  ],
};
