import { testRoomLogModel } from "./room-log.model.fixture.ts";

testRoomLogModel(20);
