/** What a text of a record is. */
export const textKinds = ["input", "answer", "reasoning", "tool_call", "tool_result", "error"] as const;

/** How long back texts are searched. */
export const searchedDays = 90;

/** Without an index: the newest runs, and the records of each, that are read. On AWS, a record costs a quarter of a read unit or more. */
export const [maxScannedRuns, maxScannedRecords] = [200, 1_000];
