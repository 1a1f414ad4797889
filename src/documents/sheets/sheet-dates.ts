const dayMs = 86_400_000;
const secondsOfDay = 86_400;

/** The last day that Excel shows: 9999-12-31, in the system that counts from 1900. */
const lastSerial = 2_958_465;

/** Excel counts 29 February 1900, which did not exist, as day 60. */
const falseLeapDay = 60;

/**
 * How numbers of a workbook become dates. The library gets `serials`, with which each number is a date of its own, also below
 * 0 and around the day 60. `dateText` does the rest.
 */
export const serials = { dateSystem: "1904" } as const;
const epochOfSerials = Date.UTC(1904, 0, 1);

/** Whether a format shows numbers as durations, such as `[h]:mm`. */
export function isDurationFormat(format: string): boolean {
  return /\[(h+|m+|s+)\]/i.test(format);
}

/**
 * A number of a workbook in a format of dates or times, read with `serials`. `isDuration`: whether its format is one of durations;
 * undefined: unknown, so that it is shown as both if it is less than a year.
 */
export function dateText(
  read: Date,
  { is1904, isDuration }: { is1904: boolean; isDuration: boolean | undefined },
): string {
  if (Number.isNaN(read.getTime())) return "[a number that is not a date]";
  const seconds = Math.round((read.getTime() - epochOfSerials) / 1000);
  const serial = seconds / secondsOfDay;
  if (isDuration === true) return durationText(seconds);
  if (serial < 0 || serial > lastSerial) return `${serial} [not a date]`;
  const time = new Date((seconds % secondsOfDay) * 1000).toISOString().slice(11, 19);
  if (serial < 1 && !(is1904 && serial === 0)) return time;
  const day = Math.floor(serial);
  const date = dayText(day, is1904);
  const text = time === "00:00:00" ? date : `${date} ${time}`;
  return isDuration === undefined && serial < 366 ? `${text}, as a duration ${durationText(seconds)}` : text;
}

function dayText(day: number, is1904: boolean): string {
  if (!is1904 && day === falseLeapDay) return "1900-02-29 [not a real day]";
  const first = is1904 ? epochOfSerials : Date.UTC(1899, 11, 31);
  const skipped = !is1904 && day > falseLeapDay ? 1 : 0;
  return new Date(first + (day - skipped) * dayMs).toISOString().slice(0, 10);
}

/** Hours, minutes and seconds: `36:00:00`. */
function durationText(seconds: number): string {
  const all = Math.abs(seconds);
  const [minute, second] = [Math.floor(all / 60) % 60, all % 60].map((each) => String(each).padStart(2, "0"));
  return `${seconds < 0 ? "-" : ""}${Math.floor(all / 3600)}:${minute}:${second}`;
}
