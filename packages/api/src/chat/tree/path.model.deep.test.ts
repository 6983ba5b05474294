import { describePathModel } from "./path.model.fixture.ts";

describePathModel(1_400);
