import { type Faults, unknownHost, unreachable } from "@soul-hub/api/operator";

const portFaults: Faults[string] = [
  [["EADDRINUSE"], "is in use by another program"],
  [["EACCES"], "may not be opened by this user"],
];
const hostFaults: Faults[string] = [
  unknownHost,
  [["EADDRNOTAVAIL"], "is not an address of this machine"],
];

/** The faults of the settings that only the server has. */
export const serverFaults: Faults = {
  PORT: portFaults,
  HOST: hostFaults,
  METRICS_PORT: portFaults,
  METRICS_HOST: hostFaults,
  REDIS_URL: [
    unreachable("Is Redis running there?"),
    unknownHost,
    [["WRONGPASS"], "refuses this user or password"],
    [["NOPERM"], "refuses this user a command that the hub needs"],
    [["REDIS_TOO_OLD"], "is too old: the hub needs Redis 7.0, or Valkey"],
    [["NOT_REDIS"], "does not answer as Redis does"],
  ],
};
