import { testSocialModel } from "./social.model.fixture.ts";

testSocialModel(3);
