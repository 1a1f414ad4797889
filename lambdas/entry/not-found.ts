import { notFoundHandler } from "../api/not-found.ts";

export const handler = notFoundHandler();
