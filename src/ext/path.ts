/** Where the paths of the extension API begin. */
export const basePath = "/ext/v1";

/** Whether a path belongs to the extension API. */
export function isExtPath(path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

/** Whether a path is that of a run's events. */
export function isEventsPath(path: string): boolean {
  return /^\/ext\/v1\/runs\/[^/]+\/events$/.test(path);
}
