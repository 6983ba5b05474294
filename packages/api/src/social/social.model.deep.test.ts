import { describeSocialModel } from "./social.model.fixture.ts";

describeSocialModel(30);
