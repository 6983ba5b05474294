import { publishingTools } from "./publishing-tools.ts";
import { roomTools } from "./room-tools.ts";
import { soulTools } from "./soul-tools.ts";
import type { Tool } from "./tool.ts";

/** The tools of `/mcp`, in the order of their list. */
export const tools: readonly Tool[] = [...soulTools, ...roomTools, ...publishingTools];
