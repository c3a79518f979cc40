import { Button, Collapse, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

/** What a test conversation begins with, as it is entered. Empty: as the agent says. */
export type TalkStart = {
  variables: string;
  caller: string;
  language: string;
  channel: string;
  clock: string;
};

export const NO_START: TalkStart = { variables: "", caller: "", language: "", channel: "", clock: "" };

const CHANNELS = [
  { value: "", label: "Chat" },
  { value: "sms", label: "SMS" },
  { value: "whatsapp", label: "WhatsApp" },
  { value: "email", label: "E-mail" },
  { value: "voice", label: "Phone, as text" },
];

/** The fields of the test operation. The clock is the agent's, in its own time zone. */
export function startFields({ variables, language, channel, clock }: TalkStart) {
  const lines = variables.split("\n").flatMap((line): [string, string][] => {
    const at = line.indexOf("=");
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
  return {
    ...(lines.length > 0 && { variables: Object.fromEntries(lines) }),
    ...(language.trim() !== "" && { language: language.trim() }),
    ...(channel !== "" && { channel: channel as "sms" | "whatsapp" | "email" | "voice" }),
    ...(clock !== "" && { override_timestamp: clock.length === 16 ? `${clock}:00` : clock }),
  };
}

/** A small form below the button that starts a conversation. */
export function StartWith(props: { value: TalkStart; onChange(value: TalkStart): void }) {
  const { value, onChange } = props;
  const [opened, { toggle }] = useDisclosure(false);
  const set = (change: Partial<TalkStart>) => onChange({ ...value, ...change });
  return (
    <div>
      <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={opened}>
        Start with…
      </Button>
      <Collapse expanded={opened}>
        {opened && (
          <Stack gap="xs" ta="start" mt="xs" maw={420}>
            <Textarea
              label="Variables"
              description="One name=value in each line."
              autosize
              minRows={2}
              value={value.variables}
              onChange={({ currentTarget }) => set({ variables: currentTarget.value })}
            />
            <Group grow>
              <TextInput
                label="Caller"
                placeholder="Your e-mail address"
                value={value.caller}
                onChange={({ currentTarget }) => set({ caller: currentTarget.value })}
              />
              <TextInput
                label="Language"
                placeholder="Agent's first language"
                value={value.language}
                onChange={({ currentTarget }) => set({ language: currentTarget.value })}
              />
            </Group>
            <Group grow>
              <NativeSelect
                label="Channel"
                data={CHANNELS}
                value={value.channel}
                onChange={({ currentTarget }) => set({ channel: currentTarget.value })}
              />
              <TextInput
                type="datetime-local"
                label="Clock"
                value={value.clock}
                onChange={({ currentTarget }) => set({ clock: currentTarget.value })}
              />
            </Group>
            <Text size="xs" c="dimmed">
              The clock is read in the agent's time zone.
            </Text>
          </Stack>
        )}
      </Collapse>
    </div>
  );
}
