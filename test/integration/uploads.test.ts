import { testUploads } from "./uploads.scenario.ts";

testUploads({ uploads: 8, maxMegabytes: 500 });
