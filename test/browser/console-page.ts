import type { Browser, BrowserContext, Page } from "playwright-core";

/** How long a page is waited for, in milliseconds. On a busy machine, the default of 30 s is too short. */
export const longestWait = 120_000;

/** What a page did that the console never does. All lists stay empty. */
export interface Misdeeds {
  /** Errors that no code caught. */
  errors: string[];
  /** Directives of the Content-Security-Policy that were violated, with what was blocked. */
  violations: string[];
  /** Requests to other origins. */
  foreignRequests: string[];
  /** Dialogs of the browser, such as those of `alert`. */
  dialogs: string[];
}

export interface ConsolePage extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  misdeeds: Misdeeds;
  /** Goes to a path below `/console/` without loading the page again. */
  goto(path: string): Promise<void>;
}

export interface ConsoleOptions {
  /** The path below `/console/` that is opened first. Default: the first page. */
  path?: string;
  /** Default: 1440 × 900 pixels. */
  viewport?: { width: number; height: number };
  colorScheme?: "light" | "dark";
  /** A phone: fingers, and no keys. */
  isPhone?: boolean;
}

// Code of the page, as text: scripts and benchmarks use this file, too, and have no types of a browser.
const reportViolations = `addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) => {
  console.debug("csp-violation " + effectiveDirective + " " + blockedURI + " " + sample);
});`;

/**
 * Opens the console in a browser context of its own, as the printed link does. `link`: `http://…/console/#ao_…`.
 * Resolves when the page is usable.
 */
export async function openConsole(
  browser: Browser,
  link: string,
  { path = "", viewport = { width: 1440, height: 900 }, colorScheme = "light", isPhone = false }: ConsoleOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    reducedMotion: "reduce",
    acceptDownloads: true,
    ...(isPhone && { isMobile: true, hasTouch: true }),
  });
  context.setDefaultTimeout(longestWait);
  const page = await context.newPage();
  const { origin, hash } = new URL(link);
  const misdeeds = watch(page, origin);
  await page.addInitScript({ content: reportViolations });
  await page.goto(`${origin}/console/${path}${hash}`);
  await page.getByRole("navigation").first().waitFor();
  return {
    page,
    context,
    misdeeds,
    async goto(to) {
      await page.evaluate(
        `history.pushState(null, "", ${JSON.stringify(`/console/${to}`)}); dispatchEvent(new PopStateEvent("popstate"))`,
      );
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

function watch(page: Page, origin: string): Misdeeds {
  const misdeeds: Misdeeds = { errors: [], violations: [], foreignRequests: [], dialogs: [] };
  page.on("pageerror", ({ message }) => misdeeds.errors.push(message));
  page.on("console", (message) => {
    const [, violation] = /^csp-violation (.*)/s.exec(message.text()) ?? [];
    if (violation !== undefined) misdeeds.violations.push(violation);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(blob|data):/.test(url) && new URL(url).origin !== origin) misdeeds.foreignRequests.push(url);
  });
  page.on("requestfailed", (request) => {
    // The Content-Security-Policy blocked it: nothing was sent.
    if (request.failure()?.errorText !== "csp") return;
    misdeeds.foreignRequests = misdeeds.foreignRequests.filter((url) => url !== request.url());
  });
  page.on("dialog", (dialog) => {
    misdeeds.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return misdeeds;
}

export const noMisdeeds: Misdeeds = { errors: [], violations: [], foreignRequests: [], dialogs: [] };
