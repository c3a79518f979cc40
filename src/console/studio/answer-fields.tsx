import { Button, Group, NumberInput, Select, Stack, TextInput } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useState } from "react";
import type { PlayedEvent } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { Unreadable } from "../editors/unreadable.ts";

type Property = { type?: string | string[]; description?: string; enum?: unknown[]; format?: string };
type Schema = { properties?: Record<string, Property>; required?: string[] };

/** What the person answers to a step, a field for each input; what stays empty is not submitted. */
export function AnswerFields(props: {
  offered: NonNullable<PlayedEvent["offered"]>;
  onSubmit(values: Record<string, unknown>): void;
}) {
  const { offered, onSubmit } = props;
  const { properties = {} } = (offered.parameters ?? {}) as Schema;
  const [values, setValues] = useState<Record<string, unknown>>({});
  const [unreadable, setUnreadable] = useState(0);
  const names = Object.keys(properties);
  const set = (name: string, value: unknown) => setValues({ ...values, [name]: value });
  const submit = () => {
    if (unreadable > 0) return;
    onSubmit(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "" && value != null)));
  };
  return (
    <Unreadable value={setUnreadable}>
      {/* The studio stands in a form already, and HTML has no form in a form. */}
      <Stack
        gap={6}
        role="group"
        aria-label="Answer of the person"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
          if (event.target.getAttribute("aria-haspopup")) return;
          event.preventDefault();
          submit();
        }}
      >
        {names.map((name) => (
          <Field
            key={name}
            name={name}
            property={properties[name] as Property}
            value={values[name]}
            onChange={(value) => set(name, value)}
          />
        ))}
        <Group>
          <Button size="xs" leftSection={<IconSend size={14} />} disabled={unreadable > 0} onClick={submit}>
            {names.length > 0 ? "Answer" : "Continue"}
          </Button>
        </Group>
      </Stack>
    </Unreadable>
  );
}

function Field(props: { name: string; property: Property; value: unknown; onChange(value: unknown): void }) {
  const { name, property, value, onChange } = props;
  const type = Array.isArray(property.type) ? property.type[0] : property.type;
  const common = { size: "xs" as const, label: name, description: property.description };
  if (property.enum)
    return (
      <Select
        {...common}
        clearable
        data={[...new Set(property.enum.map(String))]}
        value={value == null ? null : String(value)}
        onChange={(chosen) => onChange(property.enum?.find((each) => String(each) === chosen) ?? null)}
      />
    );
  if (type === "boolean")
    return (
      <Select
        {...common}
        clearable
        data={[
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]}
        value={value == null ? null : String(value)}
        onChange={(chosen) => onChange(chosen === null ? null : chosen === "true")}
      />
    );
  if (type === "number" || type === "integer")
    return <NumberInput {...common} value={(value as number) ?? ""} onChange={onChange} />;
  if (type === "object" || type === "array")
    return <JsonEditor label={name} value={value ?? (type === "array" ? [] : {})} onChange={onChange} />;
  return (
    <TextInput
      {...common}
      placeholder={property.format === "date" ? "2026-12-31" : ""}
      value={typeof value === "string" ? value : ""}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
