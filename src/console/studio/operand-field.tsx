import { Autocomplete, Select, Stack, TextInput } from "@mantine/core";
import { NumberField } from "../parts/number-field.tsx";
import type { Operand } from "../workflows/condition.ts";
import type { KnownName } from "../workflows/names.ts";
import { useSurroundings } from "./step-context.ts";

/** A value of the kind that the name has, unless what is there fits already. */
export function fitting(value: Operand | null, known: KnownName | undefined): Operand {
  const kind = known?.type === "boolean" ? "boolean" : isNumeric(known) ? "number" : "text";
  if (value?.kind === kind || (value !== null && (value.kind === "name" || known?.type == null)))
    return value;
  if (kind === "boolean") return { kind, value: true };
  if (kind === "number") return { kind, value: Number(value?.value) || 0 };
  return { kind, value: known?.choices?.[0] ?? "" };
}

const isNumeric = (known: KnownName | undefined): boolean =>
  known?.type === "number" || known?.type === "integer";

const KINDS = [
  { value: "text", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
  { value: "name", label: "Variable" },
];

/** What a name is compared with, by its kind. */
export function OperandField(props: {
  /** "the condition of transition 1". */
  of: string;
  value: Operand;
  known: KnownName | undefined;
  onChange(value: Operand): void;
}) {
  const { of, value, known, onChange } = props;
  const { names, readOnly } = useSurroundings();
  const name = `Value in ${of}`;
  const setKind = (kind: string | null) => {
    if (kind === "number") onChange({ kind, value: Number(value.value) || 0 });
    else if (kind === "boolean") onChange({ kind, value: true });
    else if (kind === "name") onChange({ kind, value: "" });
    else onChange({ kind: "text", value: String(value.value) });
  };
  return (
    <Stack gap={2}>
      {value.kind === "boolean" ? (
        <Select
          size="xs"
          aria-label={name}
          allowDeselect={false}
          data={[
            { value: "true", label: "yes" },
            { value: "false", label: "no" },
          ]}
          value={String(value.value)}
          onChange={(chosen) => onChange({ kind: "boolean", value: chosen === "true" })}
          readOnly={readOnly}
        />
      ) : value.kind === "number" ? (
        <NumberField
          size="xs"
          aria-label={name}
          value={value.value}
          onNumber={(typed) => onChange({ kind: "number", value: typed })}
          readOnly={readOnly}
        />
      ) : value.kind === "text" && known?.choices ? (
        <Autocomplete
          size="xs"
          aria-label={name}
          data={[...known.choices]}
          value={value.value}
          onChange={(typed) => onChange({ kind: "text", value: typed })}
          readOnly={readOnly}
        />
      ) : value.kind === "name" ? (
        <Autocomplete
          size="xs"
          aria-label={name}
          data={[...new Set(names.map((each) => each.name))]}
          value={value.value}
          onChange={(typed) => onChange({ kind: "name", value: typed })}
          readOnly={readOnly}
        />
      ) : (
        <TextInput
          size="xs"
          aria-label={name}
          value={value.value}
          onChange={({ currentTarget }) => onChange({ kind: "text", value: currentTarget.value })}
          readOnly={readOnly}
        />
      )}
      <Select
        size="xs"
        variant="unstyled"
        aria-label={`Kind of value in ${of}`}
        allowDeselect={false}
        data={KINDS}
        value={value.kind}
        onChange={setKind}
        readOnly={readOnly}
      />
    </Stack>
  );
}
