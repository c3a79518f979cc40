import { Input, SimpleGrid, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { AgentToolDefaultsInput, ToolResponse } from "../api-types.ts";
import { settingOf, settingText, toolSetting, withToolSetting } from "./agent-values.ts";

type Setting = { tool: string; field: string; type: string; about: string; otherwise: string };

/** A field for each static parameter of the agent's tools, and for settings left from tools that it no longer has. */
export function ToolSettingFields(props: {
  tools: readonly ToolResponse[];
  value: AgentToolDefaultsInput[];
  onChange(value: AgentToolDefaultsInput[]): void;
  error: ReactNode;
}) {
  const { tools, value, onChange, error } = props;
  const settings = settingsOf(tools, value);
  if (settings.length === 0) return null;
  return (
    <Input.Wrapper
      label="Tool settings"
      description="Overrides for this agent. Empty: the tool's own setting."
      error={error}
      labelElement="div"
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt={6}>
        {settings.map((setting) => (
          <SettingField
            key={`${setting.tool} ${setting.field}`}
            setting={setting}
            value={toolSetting(value, setting.tool, setting.field)}
            onChange={(changed) => onChange(withToolSetting(value, setting.tool, setting.field, changed))}
          />
        ))}
      </SimpleGrid>
    </Input.Wrapper>
  );
}

function SettingField(props: { setting: Setting; value: unknown; onChange(value: unknown): void }) {
  const { setting, value, onChange } = props;
  const { tool, field, type, about, otherwise } = setting;
  const [text, setText] = useState(settingText(value));
  // A value set from outside, such as by Discard, replaces what was typed.
  const own = settingText(settingOf(text, type));
  const shown = own === settingText(value) ? text : settingText(value);
  return (
    <TextInput
      label={`${tool}: ${field}`}
      description={about}
      placeholder={otherwise}
      value={shown}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(settingOf(currentTarget.value, type));
      }}
    />
  );
}

const KINDS: Record<string, string> = {
  string: "Text",
  int: "A whole number",
  boolean: "true or false",
  data_source_list: 'Names or labels of data sources, as JSON: ["prices"]',
};

/** Chosen by name in the section on knowledge. */
const isKnowledge = (tool: string, field: string) => tool === "data_source_search" && field === "doc";

function settingsOf(tools: readonly ToolResponse[], value: AgentToolDefaultsInput[]): Setting[] {
  const offered = tools.flatMap(({ name, definition }) =>
    (definition.static_parameters ?? []).map((parameter) => ({
      tool: name,
      field: parameter.name,
      type: parameter.type,
      about: parameter.description || (KINDS[parameter.type] ?? ""),
      otherwise: settingText(parameter.default ?? undefined),
    })),
  );
  const known = new Set(offered.map(({ tool, field }) => `${tool} ${field}`));
  const left = value.flatMap(({ tool_name, default_values }) =>
    default_values
      .filter(({ field_name }) => !known.has(`${tool_name} ${field_name}`))
      .map(({ field_name }) => ({
        tool: tool_name,
        field: field_name,
        type: "any",
        about: "No tool of this agent has this setting. Clear it to remove it.",
        otherwise: "",
      })),
  );
  return [...offered, ...left].filter(({ tool, field }) => !isKnowledge(tool, field));
}
