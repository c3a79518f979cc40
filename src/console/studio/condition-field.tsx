import { ActionIcon, Autocomplete, Button, Group, Select, Stack } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { Expression } from "../api-types.ts";
import {
  COMPARISONS,
  type Comparison,
  type Condition,
  type ConditionLine,
  readCondition,
  takesValue,
  writeCondition,
} from "../workflows/condition.ts";
import type { KnownName } from "../workflows/names.ts";
import { fitting, OperandField } from "./operand-field.tsx";
import { RawExpression, shaped } from "./raw-expression.tsx";
import { useFault, useSurroundings } from "./step-context.ts";

type Props = {
  /** What the condition is of: "transition 1". Part of every control's name. */
  of: string;
  value: Expression | null | undefined;
  onChange(value: Expression | undefined): void;
  /** Where its findings are, below the step. */
  place: (string | number)[];
};

const NEW_LINE: ConditionLine = { name: "", comparison: "is", value: { kind: "text", value: "" } };

/** A condition: lines of name, comparison and value where it can be said so, or the expression itself. */
export function ConditionField({ of, value, onChange, place }: Props) {
  const { readOnly } = useSurroundings();
  const fault = useFault(...place);
  const [condition, setCondition] = useState<Condition | null>(() => readCondition(value));
  const [isRaw, setRaw] = useState(() => value != null && readCondition(value) === null);
  // A value set from outside, such as by Undo, replaces what was entered.
  const [given, setGiven] = useState(value);
  const stored = JSON.stringify(value);
  if (stored !== JSON.stringify(given)) {
    setGiven(value);
    if (!isRaw && stored !== JSON.stringify(shaped(value, condition && writeCondition(condition)))) {
      setCondition(readCondition(value));
      setRaw(value != null && readCondition(value) === null);
    }
  }
  const store = (next: Condition | null) => {
    setCondition(next);
    const written = shaped(value, next && writeCondition(next));
    if (JSON.stringify(written) !== stored) onChange(written);
  };

  if (isRaw)
    return (
      <RawExpression
        {...{ of, value, fault }}
        onChange={onChange}
        onBuild={
          value == null || readCondition(value)
            ? () => {
                setCondition(readCondition(value) ?? { join: "and", lines: [NEW_LINE] });
                setRaw(false);
              }
            : null
        }
        onRemove={() => {
          setRaw(false);
          store(null);
        }}
      />
    );
  if (!condition)
    return readOnly ? null : (
      <div>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus size={13} />}
          aria-label={`Add condition to ${of}`}
          onClick={() => setCondition({ join: "and", lines: [NEW_LINE] })}
        >
          Add condition
        </Button>
      </div>
    );
  const { join, lines } = condition;
  const replace = (index: number, line: ConditionLine) => store({ join, lines: lines.with(index, line) });
  return (
    <Stack gap={4} mt={4}>
      {lines.map((line, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          key={index}
          of={`${lines.length > 1 ? `line ${index + 1} of ` : ""}the condition of ${of}`}
          line={line}
          onChange={(next) => replace(index, next)}
          onRemove={() => {
            const rest = lines.toSpliced(index, 1);
            store(rest.length > 0 ? { join, lines: rest } : null);
          }}
        />
      ))}
      {fault && <FaultText>{fault}</FaultText>}
      {!readOnly && (
        <Group gap={6}>
          {lines.length > 1 && (
            <Select
              size="xs"
              w={150}
              aria-label={`Lines that must hold in the condition of ${of}`}
              allowDeselect={false}
              data={[
                { value: "and", label: "All must hold" },
                { value: "or", label: "One is enough" },
              ]}
              value={join}
              onChange={(chosen) => store({ join: chosen as Condition["join"], lines })}
            />
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Add line to the condition of ${of}`}
            onClick={() => setCondition({ join, lines: [...lines, NEW_LINE] })}
          >
            Add line
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-label={`As expression: the condition of ${of}`}
            onClick={() => setRaw(true)}
          >
            As expression
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const ORDERS: ReadonlySet<Comparison> = new Set([
  "is greater than",
  "is at least",
  "is less than",
  "is at most",
]);

const FaultText = ({ children }: { children: string }) => (
  <div style={{ color: "var(--mantine-color-error)", fontSize: "0.75rem" }}>{children}</div>
);

function Line(props: {
  /** "line 2 of the condition of transition 1". */
  of: string;
  line: ConditionLine;
  onChange(line: ConditionLine): void;
  onRemove(): void;
}) {
  const { of, line, onChange, onRemove } = props;
  const { names, readOnly } = useSurroundings();
  const known = names.find(({ name }) => name === line.name || `inputs.${name}` === line.name);
  const setName = (name: string) => {
    const next = names.find((each) => each.name === name);
    const value = takesValue(line.comparison) ? fitting(line.value, next) : null;
    onChange({ ...line, name, value });
  };
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Autocomplete
        size="xs"
        style={{ flex: "1 1 38%" }}
        aria-label={`Variable in ${of}`}
        placeholder="name"
        data={[...new Set(names.map(({ name }) => name))]}
        renderOption={({ option }) => <NameOption name={option.value} names={names} />}
        limit={40}
        comboboxProps={{ width: 320, position: "bottom-start" }}
        value={line.name}
        onChange={setName}
        readOnly={readOnly}
      />
      <Select
        size="xs"
        style={{ flex: "1 1 30%" }}
        aria-label={`Comparison in ${of}`}
        data={COMPARISONS}
        allowDeselect={false}
        value={line.comparison}
        comboboxProps={{ width: 170, position: "bottom-start" }}
        onChange={(chosen) => {
          const comparison = chosen as Comparison;
          const given = takesValue(comparison) ? (line.value ?? fitting(null, known)) : null;
          // Only numbers have an order.
          const value =
            ORDERS.has(comparison) && given?.kind === "text"
              ? { kind: "number" as const, value: Number(given.value) || 0 }
              : given;
          onChange({ ...line, comparison, value });
        }}
        readOnly={readOnly}
      />
      {takesValue(line.comparison) && (
        <div style={{ flex: "1 1 32%" }}>
          <OperandField
            of={of}
            value={line.value ?? { kind: "text", value: "" }}
            known={known}
            onChange={(value) => onChange({ ...line, value })}
          />
        </div>
      )}
      {!readOnly && (
        <ActionIcon size="md" aria-label={`Remove ${of}`} onClick={onRemove}>
          <IconTrash size={14} />
        </ActionIcon>
      )}
    </Group>
  );
}

function NameOption({ name, names }: { name: string; names: readonly KnownName[] }) {
  return (
    <div>
      <code dir="ltr">{name}</code>{" "}
      <small style={{ color: "var(--mantine-color-dimmed)" }}>
        {names.find((each) => each.name === name)?.about}
      </small>
    </div>
  );
}
