import type { Model } from "../agent/model.ts";
import { openModel } from "../agent/models/open-model.ts";
import { configurationFields } from "../agent/models/model-config.ts";
import type { ReadSecret } from "../agent/secret.ts";
import type { AskedModel } from "../agent/turn/turn-types.ts";
import type { ConfiguredModel } from "../runs/turn-configuration.ts";

type Opened = Awaited<ReturnType<typeof openModel>>;

/** A function that opens the models of a turn. */
export function modelOpener(
  { openModel: open = openModel }: { openModel?: typeof openModel },
  readSecret: ReadSecret,
): (model: ConfiguredModel) => Promise<Opened> {
  return ({ choice, provider }) => open(provider, choice.model, readSecret, choice.modelConfiguration);
}

/** A model that is opened with its first call. A failure to open it is a failure of the call. */
export function openLater(open: () => Promise<Opened>): Model {
  let opened: Opened | undefined;
  return async (request) => {
    if (!opened || "failure" in opened) opened = await open();
    return "failure" in opened ? opened : opened.model(request);
  };
}

/** What a turn knows of a model. */
export function askedModel({
  choice,
  provider,
}: ConfiguredModel): AskedModel & { modelName: string; provider: string } {
  const { model, modelConfiguration, parameters, prices, contextTokens } = choice;
  const { provider: name = "none", model: own } = provider ? configurationFields(provider) : {};
  return {
    modelName: model ?? own ?? name,
    ...(modelConfiguration !== undefined && { modelConfiguration }),
    provider: name,
    ...(parameters && { parameters }),
    ...(prices && { prices }),
    ...(contextTokens !== undefined && { contextTokens }),
  };
}
