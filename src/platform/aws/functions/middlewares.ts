import type { MiddlewareObj } from "@middy/core";

/**
 * Lambda ends the process of an invocation that takes too long. By default, middy rejects 5 ms earlier: the process would survive,
 * and the next invocation would run while this one still does.
 */
export const noEarlyTimeout = { timeoutEarlyInMillis: 0 };

/** Runs `step` after the handler, even if the handler failed. The middleware that was added last runs first. */
export function afterEach<Event, Result>(
  step: (event: Event, context: { getRemainingTimeInMillis(): number }) => Promise<void>,
): MiddlewareObj<Event, Result> {
  const run: MiddlewareObj<Event, Result>["after"] = ({ event, context }) => step(event, context);
  return { after: run, onError: run };
}
