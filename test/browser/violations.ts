import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * Violations of WCAG 2.2 AA and of axe's best practices, each with the elements. The theme changes colours only: in dark
 * ones, contrast is what is left to judge.
 */
export async function violations(page: Page, colorScheme: "light" | "dark"): Promise<string[]> {
  await page.evaluate(axe.source); // a script element is refused by the policy of the page
  const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const options = {
    runOnly: colorScheme === "light" ? everything : ["color-contrast"],
    resultTypes: ["violations" as const],
  };
  const { violations: found } = await page.evaluate(
    (chosen) => (Reflect.get(window, "axe") as typeof axe).run(document, chosen),
    options,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary?.split("\n")[1]?.trim()}`),
  );
}
