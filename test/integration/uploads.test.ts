import { testUploads } from "./uploads.scenario.ts";

testUploads({ uploads: 8, most: 700 });
