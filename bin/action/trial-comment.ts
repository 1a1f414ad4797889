import type { Schemas } from "../../src/manage/schema-types.ts";
import { inDollars, verdictWords } from "../../src/trials/describe-trial.ts";
import type { Environment } from "./inputs.ts";
import { requestJson } from "../request-json.ts";

type Trial = Schemas["Trial"];
type TrialCase = Schemas["TrialCase"];

/** Cases that the comment lists. */
const maxListed = 25;

/**
 * What a trial found, as Markdown. It has counts, verdicts and links, and no text of a recorded turn: more people can read a pull
 * request than may read the runs.
 */
export function reportOf({
  trial,
  cases,
  failed,
  file,
  url,
}: {
  trial: Trial;
  cases: TrialCase[];
  failed: string[];
  file: string;
  url: string;
}): string {
  const page = `${url}/console/trials/${trial.id}`;
  const review = cases.filter(({ verdict }) => verdict !== "same" && verdict !== "equal" && verdict !== "better");
  const { medians, control } = trial.summary;
  const what = trial.suite === null ? "recorded turns" : `the suite ${code(trial.suite)}`;
  return [
    `### ${code(file)} tried on ${what}`,
    failed.length > 0 ? `❌ **${failed.join(", ")}**` : undefined,
    trial.summary.text,
    control?.cannot_judge ?? undefined,
    medians && mediansText(medians),
    review.length > 0 ? table(review, page) : "No case needs review.",
    `[Open the trial](${page})`,
  ]
    .filter((part) => part !== undefined && part !== null)
    .join("\n\n");
}

function mediansText({ cases, steps, dollars }: NonNullable<Trial["summary"]["medians"]>): string {
  const cost = dollars ? `, ${inDollars(dollars.recorded)} → ${inDollars(dollars.tried)}` : "";
  return `Medians of ${cases} cases, recorded → tried: ${steps.recorded} → ${steps.tried} steps${cost}`;
}

function table(cases: TrialCase[], page: string): string {
  const rows = cases.slice(0, maxListed).map(({ number, verdict, recorded, candidate }) => {
    const used = candidate?.used;
    const steps = `${recorded.steps} → ${used?.steps ?? "–"}`;
    const cost = `${costText(recorded.dollars)} → ${costText(used?.dollars)}`;
    return `| [${number}](${page}?case=${number}) | ${verdict ? verdictWords[verdict] : "no verdict"} | ${steps} | ${cost} |`;
  });
  const more = cases.length - maxListed;
  return [
    "| case | verdict | steps | cost |",
    "| ---: | --- | --- | --- |",
    ...rows,
    ...(more > 0 ? ["", `and ${more} more`] : []),
  ].join("\n");
}

function costText(value: number | null | undefined): string {
  return value == null ? "–" : inDollars(value);
}

/** A name as code, in which GitHub reads no mention, link or markup. */
function code(text: string): string {
  return `\`${text.replaceAll(/[`\r\n]/g, " ")}\``;
}

/**
 * Writes a comment on the pull request, in place of the one about the same trial before. Resolves with its address. Undefined: no
 * pull request is given.
 */
export async function writeComment(
  environment: Environment,
  report: string,
  about: string,
): Promise<string | undefined> {
  const [number, token] = [environment["PULL_REQUEST"]?.trim(), environment["GITHUB_TOKEN"]?.trim()];
  if (!number) return undefined;
  if (!/^\d{1,12}$/.test(number)) {
    throw new Error(`the input 'pull-request' is ${JSON.stringify(number)}; expected a number`);
  }
  if (!token) throw new Error("the input 'github-token' is empty; expected a token with pull-requests: write");
  const { GITHUB_API_URL: api = "https://api.github.com", GITHUB_REPOSITORY: repository = "" } = environment;
  const issues = `${api}/repos/${repository}/issues`;
  const marker = `<!-- agent-run-service trial ${about.replaceAll(/[^\w .-]/g, "")} -->`;
  const body = { body: `${marker}\n${report}` };
  const before = await findComment(`${issues}/${number}/comments`, token, marker);
  const { html_url: address } = await requestJson<{ html_url: string }>(
    before === undefined ? `${issues}/${number}/comments` : `${issues}/comments/${before}`,
    { method: before === undefined ? "POST" : "PATCH", token, body },
  );
  return address;
}

/** Pages of 100 comments that are read. */
const maxPages = 10;

async function findComment(comments: string, token: string, marker: string): Promise<number | undefined> {
  for (let page = 1; page <= maxPages; page++) {
    const found = await requestJson<{ id: number; body?: string }[]>(`${comments}?per_page=100&page=${page}`, {
      method: "GET",
      token,
    });
    const own = found.find(({ body = "" }) => body.startsWith(marker));
    if (own) return own.id;
    if (found.length < 100) return undefined;
  }
  return undefined;
}
