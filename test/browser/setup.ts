import { findChromium } from "./chromium.ts";

/** Ends the command before the first test if no Chromium is installed. */
export default function setup(): void {
  findChromium();
}
