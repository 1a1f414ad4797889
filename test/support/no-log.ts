import { logging } from "../../src/log.ts";

// The code under test runs in the test's process. Its log lines would appear between the results.
logging.level = "off";
