import { testRoomModel } from "./room.model.fixture.ts";

testRoomModel(1);
