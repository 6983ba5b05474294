import { describePageStates } from "./page-states.ts";

describePageStates();
