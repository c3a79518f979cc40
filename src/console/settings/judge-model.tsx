import { Group, Select, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { RedactionPolicy } from "../api-types.ts";

type Model = Pick<NonNullable<RedactionPolicy["judge"]>, "provider" | "model">;

export const PROVIDERS: Record<Model["provider"], string> = {
  anthropic: "Anthropic",
  azure_openai: "Azure OpenAI",
  google: "Google",
  openai: "OpenAI",
};

/** Which model judges. */
export function JudgeModel({
  judge,
  change,
  error,
}: {
  judge: Model;
  change(part: Partial<Model>): void;
  error: ReactNode;
}) {
  return (
    <Group gap="xs" align="flex-start">
      <Select
        w={180}
        label="Provider"
        data={Object.entries(PROVIDERS).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={judge.provider}
        onChange={(provider) => change({ provider: provider as Model["provider"] })}
      />
      <TextInput
        w={260}
        label="Model"
        value={judge.model}
        onChange={({ currentTarget }) => change({ model: currentTarget.value })}
        error={error}
      />
    </Group>
  );
}
