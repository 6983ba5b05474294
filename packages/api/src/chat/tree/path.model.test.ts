import { testPathModel } from "./path.model.fixture.ts";

testPathModel(70);
