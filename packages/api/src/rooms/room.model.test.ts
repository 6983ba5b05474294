import { describeRoomModel } from "./room.model.fixture.ts";

describeRoomModel(1);
