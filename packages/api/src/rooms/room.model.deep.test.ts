import { testRoomModel } from "./room.model.fixture.ts";

testRoomModel(20);
