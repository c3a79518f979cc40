import { Button, Group, Select, Stack, TextInput } from "@mantine/core";
import type { Expression } from "../api-types.ts";
import { useSurroundings } from "./step-context.ts";

/** In the form in which the expression stood: a text, or an object that says it is JMESPath. */
export function shaped(before: Expression | null | undefined, source: string | null): Expression | undefined {
  if (source === null || source === "") return undefined;
  if (before != null && typeof before === "object" && !("case" in before) && before.type !== "cel")
    return { ...before, expression: source };
  return source;
}

/** A condition as the expression itself, in either language. */
export function RawExpression(props: {
  of: string;
  value: Expression | null | undefined;
  fault: string | null;
  onChange(value: Expression | undefined): void;
  onBuild: (() => void) | null;
  onRemove(): void;
}) {
  const { of, value, fault, onChange, onBuild, onRemove } = props;
  const { readOnly } = useSurroundings();
  const isCase = typeof value === "object" && value !== null && "case" in value;
  const isCel = typeof value === "object" && value !== null && !isCase && value.type === "cel";
  const source = value == null || isCase ? "" : typeof value === "string" ? value : value.expression;
  const set = (text: string, cel: boolean) => {
    if (text.trim() === "" && !cel) onChange(undefined);
    else if (cel) onChange({ type: "cel", expression: text });
    else onChange(isCel ? text : shaped(value, text));
  };
  return (
    <Stack gap={4}>
      <TextInput
        size="xs"
        ff="monospace"
        attributes={{ input: { dir: "ltr" } }}
        aria-label={`Expression for the condition of ${of}`}
        value={isCase ? JSON.stringify(value) : source}
        readOnly={readOnly || isCase}
        onChange={({ currentTarget }) => set(currentTarget.value, isCel)}
        error={fault}
      />
      {!readOnly && (
        <Group gap={6}>
          <Select
            size="xs"
            w={110}
            aria-label={`Language of the condition of ${of}`}
            allowDeselect={false}
            data={[
              { value: "jp", label: "JMESPath" },
              { value: "cel", label: "CEL" },
            ]}
            value={isCel ? "cel" : "jp"}
            onChange={(language) => set(source, language === "cel")}
          />
          {onBuild && (
            <Button size="compact-xs" variant="subtle" onClick={onBuild}>
              Use the builder
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-label={`Remove the condition of ${of}`}
            onClick={onRemove}
          >
            Remove
          </Button>
        </Group>
      )}
    </Stack>
  );
}
