import { Grid, NumberInput, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PromptLlmConfig, PromptLlmProvider } from "../api-types.ts";
import { call } from "../server/api.ts";

/** The model that a prompt is written for, and how it is asked. */
export function ModelFields(props: {
  value: PromptLlmConfig;
  onChange(value: PromptLlmConfig): void;
  errorOf(field: keyof PromptLlmConfig): ReactNode;
}) {
  const { value, onChange, errorOf } = props;
  const models = useQuery({
    queryKey: ["supported models"],
    staleTime: 300_000,
    queryFn: ({ signal }) => call("GET /api/v1/prompts/llms/supported", { signal }),
  });
  const offered = (models.data ?? []).map(({ provider, model, display_name, deprecated }) => ({
    value: `${provider}/${model}`,
    label: `${display_name}${deprecated ? ", to be retired" : ""} (${provider})`,
  }));
  const chosen = `${value.provider}/${value.model}`;
  const known = offered.some((option) => option.value === chosen);
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <Select
          label="Model"
          searchable
          allowDeselect={false}
          data={known ? offered : [{ value: chosen, label: chosen }, ...offered]}
          value={chosen}
          onChange={(picked) => {
            const [provider, ...model] = (picked ?? chosen).split("/");
            onChange({
              ...value,
              provider: provider as PromptLlmProvider,
              model: model.join("/"),
              // A model version of one provider means nothing to another.
              api_version: provider === value.provider ? value.api_version : null,
            });
          }}
          error={errorOf("model") ?? errorOf("provider")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 6, sm: 3 }}>
        <NumberInput
          label="Temperature"
          placeholder="Model default"
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          value={value.temperature ?? ""}
          onChange={(temperature) =>
            onChange({ ...value, temperature: temperature === "" ? null : Number(temperature) })
          }
          error={errorOf("temperature")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 6, sm: 3 }}>
        <NumberInput
          label="Seed"
          placeholder="none"
          allowDecimal={false}
          value={value.seed ?? ""}
          onChange={(seed) => onChange({ ...value, seed: seed === "" ? null : Number(seed) })}
          error={errorOf("seed")}
        />
      </Grid.Col>
      {value.provider === "azure_openai" && (
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <TextInput
            label="API version"
            description="API version of the Azure resource. Empty: the latest known."
            placeholder="2024-10-21"
            value={value.api_version ?? ""}
            onChange={({ currentTarget }) => onChange({ ...value, api_version: currentTarget.value || null })}
            error={errorOf("api_version")}
          />
        </Grid.Col>
      )}
    </Grid>
  );
}
