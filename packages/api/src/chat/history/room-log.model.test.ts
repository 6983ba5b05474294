import { describeRoomLogModel } from "./room-log.model.fixture.ts";

describeRoomLogModel(1);
