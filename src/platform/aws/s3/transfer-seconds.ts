/** Seconds of an invocation besides the program's own: reading up to 1 GB of files, and storing as many. */
export const transferSeconds = { read: 60, store: 60 };
