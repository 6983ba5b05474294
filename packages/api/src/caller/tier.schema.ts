import { z } from "zod";
import { field } from "../fields.schema.ts";

/** The plan of an account (specification §1). vip and pro are paid. */
export const tier = field(z.enum(["free", "vip", "pro"]), "vip");
export type Tier = z.infer<typeof tier>;
