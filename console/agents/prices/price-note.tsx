import { useEffect, useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import type { Schemas } from "../../api/types.ts";
import { Button } from "../../ui/fields/button.tsx";
import type { ModelPrices, SuggestedPrices } from "./suggest.ts";

interface Props {
  /** The organization's model. */
  provider: Schemas["Model"] | null | undefined;
  /** The model of the agent. */
  model: string | undefined;
  readOnly: boolean;
  onUse: (prices: ModelPrices) => void;
}

/** Says that the cost of runs is not known without prices, and offers those of the provider's list. */
export function PriceNote({ provider, model, readOnly, onUse }: Props) {
  const [suggested, setSuggested] = useState<SuggestedPrices>();
  useEffect(() => {
    setSuggested(undefined);
    if (!provider || !model) return undefined;
    let isCurrent = true;
    // The table has 6 KB. Without it, the note alone is shown.
    import("./suggest.ts").then(
      ({ suggestPrices }) => isCurrent && setSuggested(suggestPrices(provider, model)),
      () => undefined,
    );
    return () => void (isCurrent = false);
  }, [provider, model]);
  return (
    <div class="price-note">
      <p class="muted">Without prices (More settings), the cost of runs is not known.</p>
      {suggested && model !== undefined && (
        <>
          <p>
            List prices of <bdi class="mono">{model}</bdi> per million tokens: {priceText(suggested.prices)}.{" "}
            {suggested.upTo !== undefined &&
              `Requests with more than ${formatNumber(suggested.upTo)} input tokens cost more. `}
            <span class="muted">
              Read on {suggested.read} from{" "}
              <a href={suggested.source} target="_blank" rel="noreferrer noopener">
                {URL.parse(suggested.source)?.hostname}
              </a>
              ; check them.
            </span>
          </p>
          {!readOnly && (
            <Button size="small" onClick={() => onUse(suggested.prices)}>
              Use these prices
            </Button>
          )}
        </>
      )}
    </div>
  );
}

function priceText({ input, output, cachedInput, cacheWriteInput }: ModelPrices): string {
  return [
    `$${input} input`,
    ...(cachedInput === undefined ? [] : [`$${cachedInput} cached`]),
    ...(cacheWriteInput === undefined || cacheWriteInput === input ? [] : [`$${cacheWriteInput} written to the cache`]),
    `$${output} output`,
  ].join(", ");
}
