import { logging } from "../../src/log.ts";

// Code under test runs in the process of the test: its log lines would be printed between the results.
logging.level = "off";
