import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const commands = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const macApplications = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** The path of an installed Chromium or Chrome: `CHROMIUM`, or the first one on the PATH. Throws if there is none. */
export function findChromium(): string {
  const named = process.env["CHROMIUM"];
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM is ${JSON.stringify(named)}, and no such file exists; set it to the path of a Chromium`);
  }
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const places = [...folders.flatMap((folder) => commands.map((command) => join(folder, command))), ...macApplications];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Error(
    "no Chromium was found. Install one (Debian and Ubuntu: apt-get install chromium), or set CHROMIUM to its path.",
  );
}

/** Starts a headless Chromium. It has no sandbox: the tests also run in containers as root, and open local pages only. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}
