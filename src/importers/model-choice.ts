import { catalogueOf, findLlm, lifecycle, modelToday, type Provider } from "../llm/catalogue.ts";
import { type FieldPath, quoted, type Report } from "./report.ts";

export type ChosenModel = { provider: Provider; model: string; temperature: number | null };

/** What answers where Parley does not offer the model of the file. */
const IN_ITS_PLACE: Record<Provider, string> = {
  openai: "gpt-6-luna",
  azure_openai: "gpt-4o",
  anthropic: "claude-sonnet-5-5",
  google: "gemini-3.5-flash",
};

type GivenModel = {
  provider: string | null;
  model: string;
  model_path: FieldPath;
  temperature: number | null;
  temperature_path: FieldPath;
};

/** The same model, or one of the same provider in its place. */
export function chooseModel(given: GivenModel, today: string, report: Report): ChosenModel {
  const { model_path, temperature_path } = given;
  const provider = providerOf(given.provider, given.model);
  const offered = sameModel(provider, given.model);
  const model =
    provider !== null && offered !== null
      ? modelToday(catalogueOf(), provider, offered, today)
      : IN_ITS_PLACE[provider ?? "openai"];
  const chosen = { provider: provider ?? "openai", model };
  const entry = findLlm(catalogueOf(), chosen.provider, model);
  if (offered === null)
    report.note(
      model_path,
      "approximated",
      `Parley does not offer ${quoted(given.model)}; ${model} answers. Choose another in the prompt.`,
    );
  else if (model !== offered)
    report.note(model_path, "approximated", `${offered} is retired; ${model} answers in its place.`);
  else if (entry && lifecycle(entry, today) === "deprecated")
    report.note(
      model_path,
      "mapped",
      `The prompt's model, ${model}; it answers until ${entry.sunset_date} only.`,
    );
  else report.note(model_path, "mapped", `The prompt's model, ${model}.`);
  return { ...chosen, temperature: temperatureOf() };

  function temperatureOf(): number | null {
    if (given.temperature === null) return null;
    if (!entry?.supports_temperature) {
      report.note(temperature_path, "no equivalent", `${model} takes no temperature.`);
      return null;
    }
    const temperature = Math.min(2, Math.max(0, given.temperature));
    report.note(temperature_path, "mapped", "The prompt's temperature.");
    return temperature;
  }
}

function providerOf(provider: string | null, model: string): Provider | null {
  const named = `${provider ?? ""} ${model}`.toLowerCase();
  if (/azure/.test(named)) return "azure_openai";
  if (/anthropic|claude/.test(named)) return "anthropic";
  if (/google|gemini/.test(named)) return "google";
  return /openai|gpt/.test(named) ? "openai" : null;
}

/** The name in the catalogue, also where a platform writes it in another order or with a date behind. */
function sameModel(provider: Provider | null, model: string): string | null {
  if (provider === null) return null;
  const undated = model.toLowerCase().replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  const spellings = [
    model,
    undated,
    undated.replace(/^claude-(\d+)(?:\.(\d+))?-([a-z]+)$/, (_all, major, minor, family) =>
      ["claude", family, major, ...(minor === undefined ? [] : [minor])].join("-"),
    ),
  ];
  return spellings.find((name) => findLlm(catalogueOf(), provider, name) !== null) ?? null;
}
