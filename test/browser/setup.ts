import { execFileSync } from "node:child_process";
import { root } from "../integration/script.ts";
import { findChromium } from "./chromium.ts";

/** Before the first test: ends the command if no Chromium is installed, and builds the page if it is out of date. */
export default function setup(): void {
  findChromium();
  execFileSync(process.execPath, ["scripts/install.mjs", "--console"], { cwd: root, stdio: "inherit" });
}
