import { Autocomplete, Group, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Expression } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { NumberField } from "../parts/number-field.tsx";
import { sourceOf } from "../workflows/condition.ts";
import { useFault, useSurroundings } from "./step-context.ts";

/** A value that is given as it is, or computed by an expression. Neither: nothing is given. */
export type GivenValue = { value?: unknown; valueFrom?: Expression | null | undefined };

type Kind = "none" | "text" | "number" | "boolean" | "expression" | "json";

const LABELS: Record<Kind, string> = {
  none: "Default",
  text: "Text",
  number: "Number",
  boolean: "Yes or no",
  expression: "Expression",
  json: "JSON",
};

function kindOf({ value, valueFrom }: GivenValue): Kind {
  if (valueFrom != null) return sourceOf(valueFrom) === null ? "json" : "expression";
  if (value === undefined) return "none";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "json";
}

/** One value of an action: a text with variables, a number, yes or no, an expression, or any JSON. */
export function ValueField(props: {
  label: string;
  /** What it is of: "action 1 after the answers". Part of the name that a screen reader says. */
  of: string;
  given: GivenValue;
  onChange(given: GivenValue): void;
  place: (string | number)[];
  /** It may be left out. */
  mayBeNone?: boolean;
}) {
  const { label, of, given, onChange, place, mayBeNone = false } = props;
  const { names, readOnly } = useSurroundings();
  const fault = useFault(...place);
  const stored = kindOf(given);
  // A value that is not begun yet is a text, which an empty field doesn't store.
  const [wanted, setWanted] = useState<Kind | null>(null);
  const kind = stored === "none" ? (wanted ?? (mayBeNone ? "none" : "text")) : stored;
  const choose = (next: Kind) => {
    setWanted(next);
    const text = typeof given.value === "string" ? given.value : "";
    if (next === "none") onChange({});
    else if (next === "text") onChange({ value: stored === "expression" ? "" : String(given.value ?? "") });
    else if (next === "number") onChange({ value: Number(text) || 0 });
    else if (next === "boolean") onChange({ value: true });
    else if (next === "expression") onChange({ valueFrom: /^\{\{\s*(\S+)\s*\}\}$/.exec(text)?.[1] ?? "" });
    else onChange({ value: given.value ?? null });
  };
  const options = (Object.keys(LABELS) as Kind[])
    .filter((each) => each !== "none" || mayBeNone)
    .map((value) => ({ value, label: LABELS[value] }));
  const name = `${label} of ${of}`;
  const common = {
    size: "xs" as const,
    label,
    "aria-label": name,
    error: fault,
    readOnly,
    style: { flex: "1 1 70%" },
  };
  return (
    <Stack gap={4}>
      <Group gap={4} wrap="nowrap" align="flex-end">
        {kind === "number" ? (
          <NumberField {...common} value={given.value as number} onNumber={(value) => onChange({ value })} />
        ) : kind === "boolean" ? (
          <Select
            {...common}
            allowDeselect={false}
            data={[
              { value: "true", label: "Yes" },
              { value: "false", label: "No" },
            ]}
            value={String(given.value)}
            onChange={(chosen) => onChange({ value: chosen === "true" })}
          />
        ) : kind === "expression" ? (
          <Autocomplete
            {...common}
            ff="monospace"
            data={[...new Set(names.map(({ name }) => name))]}
            value={sourceOf(given.valueFrom) ?? ""}
            onChange={(typed) => onChange({ valueFrom: typed })}
          />
        ) : kind === "text" ? (
          <Autocomplete
            {...common}
            data={[...new Set(names.map(({ name }) => `{{ ${name} }}`))]}
            limit={40}
            value={typeof given.value === "string" ? given.value : ""}
            onChange={(typed) => onChange({ value: typed })}
          />
        ) : (
          <TextInput
            {...common}
            value=""
            placeholder={kind === "json" ? "below" : ""}
            readOnly
            tabIndex={-1}
          />
        )}
        <Select
          size="xs"
          style={{ flex: "0 0 106px" }}
          aria-label={`Kind of ${name}`}
          allowDeselect={false}
          data={options}
          value={kind}
          onChange={(chosen) => choose(chosen as Kind)}
          readOnly={readOnly}
        />
      </Group>
      {kind === "json" && (
        <JsonEditor
          label={`${name} as JSON`}
          value={given.valueFrom ?? given.value}
          onChange={(value) =>
            onChange(given.valueFrom == null ? { value } : { valueFrom: value as Expression })
          }
          readOnly={readOnly}
        />
      )}
    </Stack>
  );
}
