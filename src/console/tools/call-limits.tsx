import { Group, NumberInput, Switch, Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import type { ToolDefinition } from "../api-types.ts";

type Props = {
  definition: ToolDefinition;
  onChange(definition: ToolDefinition): void;
  errorOf(field: keyof ToolDefinition): ReactNode;
};

/** What the engine holds a model to, whatever it was told. */
export function CallLimits({ definition, onChange, errorOf }: Props) {
  const { confirm, read_back, max_calls_per_session } = definition;
  return (
    <>
      <Group gap="md" align="flex-start">
        <Switch
          style={{ flex: 1, minWidth: 240 }}
          label="Confirm before each call"
          description="Parley asks, and calls only after a yes."
          checked={confirm ?? false}
          onChange={({ currentTarget }) =>
            onChange({ ...definition, confirm: currentTarget.checked || null })
          }
          error={errorOf("confirm")}
        />
        <NumberInput
          w={220}
          label="Calls per session"
          placeholder="Organization's limit"
          min={1}
          max={1_000}
          allowDecimal={false}
          value={max_calls_per_session ?? ""}
          onChange={(value) =>
            onChange({ ...definition, max_calls_per_session: value === "" ? null : Number(value) })
          }
          error={errorOf("max_calls_per_session")}
        />
      </Group>
      {confirm && (
        <Textarea
          label="Read-back"
          description="Asked word for word. {{ name }} inserts an argument."
          placeholder="Shall I cancel your appointment on {{ day }}?"
          autosize
          maxRows={4}
          value={read_back ?? ""}
          onChange={({ currentTarget }) =>
            onChange({ ...definition, read_back: currentTarget.value || null })
          }
          error={errorOf("read_back")}
        />
      )}
    </>
  );
}
