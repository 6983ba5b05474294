import { describeSharingStates } from "./sharing-states.ts";

describeSharingStates();
