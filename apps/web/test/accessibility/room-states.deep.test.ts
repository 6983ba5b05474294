import { describeRoomStates } from "./room-states.ts";

describeRoomStates();
