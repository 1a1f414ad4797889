/**
 * About how many states a pattern of RE2 has when its repetitions are written out: 1,000 for `a{1000}`. Compiling takes time in
 * proportion.
 */
export function patternStates(pattern: string): number {
  const groups = [0];
  let last = 0;
  const add = (states: number): void => void (groups[groups.length - 1] = (groups.at(-1) ?? 0) + states);
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    const counted = char === "{" ? /^\{(\d+)(?:,(\d*))?\}/.exec(pattern.slice(at, at + 20)) : null;
    if (counted) {
      const times = Math.max(Number(counted[1]), Number(counted[2] || counted[1]), 1);
      add(last * (times - 1));
      last *= times;
      at += counted[0].length - 1;
    } else if (char === "(") groups.push(0);
    else if (char === ")" && groups.length > 1) add((last = groups.pop() ?? 0));
    else {
      if (char === "[") at = endOfClass(pattern, at);
      else if (char === "\\") at = endOfEscape(pattern, at);
      add((last = 1));
    }
  }
  return groups.reduce((sum, states) => sum + states, 0);
}

/** The index of the last character of the escape that begins at `start`. */
function endOfEscape(pattern: string, start: number): number {
  const [property] = /^\\[pP]\{[^}]*\}?/.exec(pattern.slice(start, start + 20)) ?? [];
  return start + (property?.length ?? 2) - 1;
}

/** The index of the bracket that ends the class which begins at `start`. */
function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === "^") at++;
  if (pattern[at] === "]") at++;
  while (at < pattern.length && pattern[at] !== "]") at += pattern[at] === "\\" ? 2 : 1;
  return at;
}
