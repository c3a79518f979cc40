import {
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import type { TestCase, TestPersona } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { PersonFields } from "./person-fields.tsx";

type Person = TestCase["person"];
type Props<T> = { value: T; onChange(value: Person): void; readOnly: boolean };

const PROVIDERS = ["anthropic", "azure_openai", "google", "openai"] as const;
const NEW_PERSONA: TestPersona = {
  goal: "",
  facts: {},
  model: { provider: "openai", model: "scripted" },
  max_turns: 15,
};

type Kind = "lines" | "persona" | "recording";
const kindOf = (person: Person): Kind =>
  Array.isArray(person) ? "lines" : "session" in person ? "recording" : "persona";
const NEW: Record<Kind, Person> = { lines: [""], persona: NEW_PERSONA, recording: { session: 0 } };

/** Lines that are said in order, a persona whom a model plays, or a session whose lines are said again. */
export function PersonChoice({ value, onChange, readOnly }: Props<Person>) {
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Person played by"
        readOnly={readOnly}
        data={[
          { value: "lines", label: "Lines" },
          { value: "persona", label: "Persona" },
          { value: "recording", label: "Recording" },
        ]}
        value={kindOf(value)}
        onChange={(kind) => onChange(NEW[kind as Kind])}
      />
      {Array.isArray(value) ? (
        <PersonFields value={value} onChange={onChange} readOnly={readOnly} />
      ) : "session" in value ? (
        <NumberInput
          label="Session"
          description="The person repeats its messages. The test works as long as the session exists."
          required
          min={1}
          allowDecimal={false}
          value={value.session || ""}
          onChange={(session) => onChange({ session: Number(session) })}
        />
      ) : (
        <PersonaFields value={value} onChange={onChange} readOnly={readOnly} />
      )}
    </Stack>
  );
}

function PersonaFields({ value, onChange }: Props<TestPersona>) {
  const set = (part: Partial<TestPersona>) => onChange({ ...value, ...part });
  const { provider = "openai", model = "" } = value.model ?? {};
  return (
    <Stack gap="md" role="group" aria-label="Persona">
      <Textarea
        label="Goal"
        description="In their own words: I need a cleaning on Thursday."
        required
        autosize
        value={value.goal}
        onChange={({ currentTarget }) => set({ goal: currentTarget.value })}
      />
      <Textarea
        label="Manner"
        description="How they talk: in a hurry, confused, changing their mind."
        autosize
        value={value.manner ?? ""}
        onChange={({ currentTarget }) => set({ manner: currentTarget.value || null })}
      />
      <KeyValues
        label="Facts"
        description="What they know, each by what it is: phone number, 202 555 0147"
        keyLabel="Fact"
        value={value.facts ?? {}}
        onChange={(facts) => set({ facts })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Provider"
          allowDeselect={false}
          data={[...PROVIDERS]}
          value={provider}
          onChange={(chosen) => set({ model: { provider: chosen as typeof provider, model } })}
        />
        <TextInput
          label="Model"
          value={model}
          onChange={({ currentTarget }) =>
            set({ model: currentTarget.value === "" ? null : { provider, model: currentTarget.value } })
          }
        />
      </SimpleGrid>
      {model === "scripted" && (
        <Text size="sm" c="dimmed">
          The offline persona follows simple rules: it says its goal, answers with its facts, and agrees. A
          language model finds more problems.
        </Text>
      )}
    </Stack>
  );
}
