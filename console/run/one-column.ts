/** Whether the inspector is a page of its own, as in `narrow.css`. */
export function oneColumn(): boolean {
  return matchMedia("(max-width: 1100px)").matches;
}
