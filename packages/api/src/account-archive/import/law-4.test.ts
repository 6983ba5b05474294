import { describeLaw4 } from "./law-4.fixture.ts";

describeLaw4(4);
