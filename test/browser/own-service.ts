import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type Caller,
  createRun,
  finished,
  modelAt,
  newDataDir,
  type Service,
  startService,
} from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { type ConsoleOptions, type ConsolePage, longestWait, noMisdeeds, openConsole } from "./console-page.ts";
import { callOf, type ManageCall } from "./manage-call.ts";
import { type Script, scriptedModel } from "./scripted-model.ts";

/*
 * What the tests of a file have for themselves. A worker has one Chromium and one service for all of its files. A file has an
 * organization of that service, with a link to the console that shows nothing else, or it says why it starts a service.
 * What these functions return is complete from the first `beforeAll` of the file on.
 */

/** Each takes 3 s, until no process knows the keys any more. The next file does not wait for it. */
const deletions: Promise<void>[] = [];

/* oxlint-disable no-empty-pattern -- vitest reads the names of other fixtures from the pattern */
const worker = test
  .extend("browser", { scope: "worker" }, async ({}, { onCleanup }) => {
    const browser = await launchChromium();
    onCleanup(() => browser.close());
    return browser;
  })
  .extend("shared", { scope: "worker" }, async ({}, { onCleanup }) => {
    const shared = await startService();
    onCleanup(async () => {
      await Promise.all(deletions);
      await shared[Symbol.asyncDispose]();
    });
    return shared;
  });
/* oxlint-enable no-empty-pattern */

/** Starts something before the tests of a file, and ends it after them. */
export function own<Owned extends AsyncDisposable>(start: () => Promise<Owned>): Owned {
  const owned = {} as Owned;
  beforeAll(async () => void Object.assign(owned, await start()));
  afterAll(() => owned[Symbol.asyncDispose]?.());
  return owned;
}

/** Who answers as the model. Default: the demo model. */
interface ModelOptions {
  script?: Script;
  /** A server of OpenAI's chat completions. */
  model?: { baseUrl: string };
  /** Default: `m`. */
  modelName?: string;
}

interface OpenOptions extends Omit<ConsoleOptions, "path"> {
  /** Default: `consoleUrl`. */
  link?: string;
  /** The tests of the file judge what the page did. */
  isJudged?: boolean;
}

/** A service, or an organization of one, with its agent and a key. */
export interface OwnService extends Caller {
  /** Signs in to the console. */
  consoleUrl: string;
  /** As model settings have it. Of the demo model: empty. */
  modelUrl: string;
  dataDir: string;
  /** What the service has written to stderr. */
  errors: () => string;
  /**
   * Opens a path below `/console/` in a browser context of its own, which is closed after the test, or after the tests of the
   * file. A test fails if the page did what it never does.
   */
  open(path?: string, options?: OpenOptions): Promise<ConsolePage>;
  /** Opens an empty page in a browser context of its own, which knows nothing of the console. Closed as those of `open`. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Calls the management API as who is signed in with the link. */
  call: ManageCall;
  /** Creates a run, and resolves with its ID when its turn has ended. */
  endedRun(body: object): Promise<string>;
}

interface OwnOrganization extends OwnService {
  /** Signs in to the console with the role operator in all organizations. */
  operatorUrl: string;
  /** Calls the management API with that role. */
  operatorCall: ManageCall;
  /** Creates a link to the console for a role in the organization. */
  newLink(name: string, role: "operator" | "viewer"): Promise<string>;
}

interface RestartableService extends OwnService {
  /** Ends the service as a crash does. */
  kill(): Promise<unknown>;
  /** Starts the service again on the same port and data. */
  startAgain(): Promise<void>;
}

/** An organization of the worker's service. Its deletion begins after the tests of the file. */
export function ownOrganization(options: ModelOptions = {}): OwnOrganization {
  const model = modelOf(options);
  const part = {} as OwnOrganization;
  let organizationId: string | undefined;
  worker.beforeAll(async ({ browser, shared }) => {
    const call = callOf(shared);
    const { id } = await call("POST", "/organizations", { name: "Local" });
    organizationId = id;
    await call("PUT", `/organizations/${id}/model`, settingsOf(options, model));
    const { definition } = await call<{ definition: object }>("GET", `/agents/${shared.templateId}`);
    const { id: templateId } = await call("POST", "/agents", { organization_id: id, definition });
    const { key: apiKey } = await call("POST", `/agents/${templateId}/keys`, {});
    const newLink = async (name: string, role: "operator" | "viewer"): Promise<string> => {
      const { token } = await call<{ token: string }>("POST", "/operators", { name, organizations: [{ id, role }] });
      return `${shared.baseUrl}/console/#${token}`;
    };
    const { baseUrl, dataDir, errors, consoleUrl: operatorUrl } = shared;
    const consoleUrl = await newLink("Ada", "operator");
    const caller = { baseUrl, apiKey, templateId, consoleUrl, dataDir, errors };
    fill(part, { ...caller, operatorUrl, operatorCall: call, newLink, ...methodsOf(part, browser, model) });
  });
  worker.afterAll(({ shared }) => {
    if (organizationId !== undefined) deletions.push(deleteOrganization(shared, organizationId));
  });
  closePages();
  return part;
}

interface ServiceOptions extends ModelOptions {
  /** Options of `npm start`. */
  args?: () => string[];
  /** Writes to the data directory before the start. */
  prepare?: (dataDir: string) => Promise<unknown>;
}

/** A service that no other file uses. */
export function ownService(options: ServiceOptions = {}): RestartableService {
  const model = modelOf(options);
  const whole = {} as RestartableService;
  let running: Service | undefined;
  worker.beforeAll(async ({ browser }) => {
    const dataDir = newDataDir();
    await options.prepare?.(dataDir);
    const args = [...(model ? modelAt(model.baseUrl) : []), ...(options.args?.() ?? [])];
    running = await startService(dataDir, args);
    const { baseUrl, apiKey, templateId, consoleUrl } = running;
    fill(whole, {
      baseUrl,
      apiKey,
      templateId,
      consoleUrl,
      dataDir,
      errors: () => running?.errors() ?? "",
      async kill() {
        await running?.end("SIGKILL");
      },
      // A later start prints no key and no first link.
      async startAgain() {
        running = await startService(dataDir, [...args, "--port", new URL(baseUrl).port]);
      },
      ...methodsOf(whole, browser, model),
    });
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  closePages();
  return whole;
}

function fill<Filled extends object>(target: Filled, fields: Filled): void {
  Object.assign(target, fields);
}

function modelOf({ script, model }: ModelOptions): { baseUrl: string } | undefined {
  return script ? own(() => scriptedModel(script)) : model;
}

function settingsOf({ modelName = "m" }: ModelOptions, model?: { baseUrl: string }): object {
  return model ? { provider: "openai-compatible", base_url: model.baseUrl, model: modelName } : { provider: "demo" };
}

function methodsOf(
  service: OwnService,
  browser: Browser,
  model?: { baseUrl: string },
): Pick<OwnService, "call" | "modelUrl" | "open" | "newPage" | "endedRun"> {
  return {
    modelUrl: model?.baseUrl ?? "",
    call: (...request) => callOf(service)(...request),
    async open(path = "", { link = service.consoleUrl, isJudged = false, ...options } = {}) {
      const view = await openConsole(browser, link, { path, ...options });
      if (!isJudged) watched.add(view);
      return view;
    },
    async newPage(options) {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(longestWait);
      return page;
    },
    async endedRun(body) {
      const run = await createRun(service, body);
      await finished(service, run);
      return run;
    },
  };
}

/** The pages whose misdeeds fail a test. */
const watched = new Set<ConsolePage>();

/** Closes the pages that a test opened after it, and those of all tests after the last one. */
function closePages(): void {
  let browser: Browser | undefined;
  let kept: BrowserContext[] = [];
  const closeOthers = async (): Promise<void> => {
    const opened = browser?.contexts().filter((context) => !kept.includes(context)) ?? [];
    await Promise.all(opened.map((context) => context.close()));
    for (const view of watched) if (opened.includes(view.context)) watched.delete(view);
  };
  worker.beforeAll(({ browser: started }) => void (browser = started));
  beforeEach(() => void (kept = browser?.contexts() ?? []));
  afterEach(async () => {
    const misdeeds = Array.from(watched, (view) => view.misdeeds);
    await closeOthers();
    for (const each of misdeeds) expect(each).toEqual(noMisdeeds);
  });
  afterAll(() => {
    kept = [];
    return closeOthers();
  });
}

async function deleteOrganization(service: Service, id: string): Promise<void> {
  const path = `/organizations/${id}?name=Local`;
  while (!(await callOf(service)<{ complete: boolean }>("DELETE", path)).complete);
}
