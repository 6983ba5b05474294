import { describePageStates } from "./page-states.ts";
import { describePages } from "./pages.ts";
import { describeRoomStates } from "./room-states.ts";
import { describeSeveralSouls } from "./several-souls.ts";
import { describeSharingStates } from "./sharing-states.ts";

describePages();
describePageStates();
describeRoomStates();
describeSeveralSouls();
describeSharingStates();
