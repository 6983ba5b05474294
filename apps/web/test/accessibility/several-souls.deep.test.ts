import { describeSeveralSouls } from "./several-souls.ts";

describeSeveralSouls();
