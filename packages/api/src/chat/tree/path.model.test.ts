import { describePathModel } from "./path.model.fixture.ts";

describePathModel(70);
