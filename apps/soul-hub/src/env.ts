import { homedir } from "node:os";
import path from "node:path";

/** What the tool reads of its environment. */
export interface Environment {
  /** The folder of the configuration. */
  configFolder: string;
  /** SOUL_HUB_URL and SOUL_HUB_KEY win over the configuration. */
  hubUrl: string | undefined;
  key: string | undefined;
  /** False with NO_COLOR (https://no-color.org). */
  mayColor: boolean;
}

/** Reads the environment. Nothing else in this package does. An empty variable counts as unset. */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const configHome = source.XDG_CONFIG_HOME || path.join(homedir(), ".config");
  return {
    configFolder: path.join(configHome, "soul-hub"),
    hubUrl: source.SOUL_HUB_URL || undefined,
    key: source.SOUL_HUB_KEY || undefined,
    mayColor: !source.NO_COLOR,
  };
}
