/** Where the paths of the management API begin. */
export const basePath = "/manage/v1";

/** Whether a path belongs to the management API. */
export function isManagePath(path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}
