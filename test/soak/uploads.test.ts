import { testUploads } from "../integration/uploads.scenario.ts";

// It was 368 MB. Without a bound on large bodies it was 1,500 MB.
testUploads({ uploads: 64, maxMegabytes: 600 });
