/** Where the paths of the extension API begin. */
export const basePath = "/ext/v1";

/** Whether a path belongs to the extension API. */
export function isExtPath(path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}
