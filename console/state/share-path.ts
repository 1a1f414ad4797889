/** The page of a shared run. Its token is the fragment, which browsers send to nobody. */
export const sharePath = "/console/share";

/** The address that shows a run to anyone who opens it. */
export function shareUrl(token: string): string {
  return `${location.origin}${sharePath}#${token}`;
}
