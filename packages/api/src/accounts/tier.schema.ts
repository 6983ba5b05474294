import { z } from "zod";

/** Specification §1: the paid tiers are vip and pro; everybody else is free. */
export const tier = z.enum(["free", "vip", "pro"]).meta({ examples: ["vip"] });
export type Tier = z.infer<typeof tier>;
