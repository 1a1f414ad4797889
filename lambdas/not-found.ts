import { notFoundHandler } from "../src/api/handlers/not-found.ts";

export const handler = notFoundHandler();
