import { ActionIcon, Button, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./directory.module.css";
import type { ExtensionValues, NumberValues, Rule } from "./member-values.ts";
import { RuleFields } from "./rule-fields.tsx";

type Props = {
  value: ExtensionValues[];
  onChange(value: ExtensionValues[]): void;
  errorOf(path: string): ReactNode;
  readOnly: boolean;
};

/** Extensions and their numbers, in the order in which they are tried. */
export function ExtensionFields({ value, onChange, errorOf, readOnly }: Props) {
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600}>Numbers</Text>
        <Text size="sm" c="dimmed">
          Tried from the top: the first number whose rules match is called. A number without rules always
          matches.
        </Text>
      </div>
      {value.map((extension, at) => (
        <Paper
          // biome-ignore lint/suspicious/noArrayIndexKey: an extension is its place in the list
          key={at}
          p="sm"
        >
          <Stack gap="sm">
            <Group gap="xs" align="flex-start" wrap="nowrap">
              <TextInput
                style={{ flex: 1 }}
                label={`Extension ${at + 1}, called`}
                placeholder="work"
                value={extension.name}
                onChange={({ currentTarget }) =>
                  onChange(value.with(at, { ...extension, name: currentTarget.value }))
                }
                error={errorOf(`${at}.name`)}
              />
              {!readOnly && (
                <ActionIcon
                  mt={26}
                  aria-label={`Remove extension ${at + 1}`}
                  onClick={() => onChange(value.toSpliced(at, 1))}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              )}
            </Group>
            {extension.numbers.map((number, place) => (
              <NumberFields
                // biome-ignore lint/suspicious/noArrayIndexKey: a number is its place in the list
                key={place}
                name={`${at + 1}.${place + 1}`}
                value={number}
                onChange={(next) =>
                  onChange(value.with(at, { ...extension, numbers: extension.numbers.with(place, next) }))
                }
                onRemove={() =>
                  onChange(value.with(at, { ...extension, numbers: extension.numbers.toSpliced(place, 1) }))
                }
                errorOf={(path) => errorOf(`${at}.numbers.${place}.${path}`)}
                readOnly={readOnly}
              />
            ))}
            {!readOnly && (
              <div>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  leftSection={<IconPlus size={14} />}
                  onClick={() =>
                    onChange(
                      value.with(at, {
                        ...extension,
                        numbers: [...extension.numbers, { number: "", rules: [] }],
                      }),
                    )
                  }
                >
                  Add number
                </Button>
              </div>
            )}
          </Stack>
        </Paper>
      ))}
      {!readOnly && (
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...value, { name: "work", numbers: [{ number: "", rules: [] }] }])}
          >
            Add extension
          </Button>
        </div>
      )}
    </Stack>
  );
}

function NumberFields(props: {
  name: string;
  value: NumberValues;
  onChange(value: NumberValues): void;
  onRemove(): void;
  errorOf(path: string): ReactNode;
  readOnly: boolean;
}) {
  const { name, value, onChange, onRemove, errorOf, readOnly } = props;
  const setRules = (rules: Rule[]) => onChange({ ...value, rules });
  return (
    <div className={classes.number}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          style={{ flex: 1 }}
          label={`Number ${name}`}
          placeholder="+15125551234 or sip:billing@example.com"
          value={value.number}
          onChange={({ currentTarget }) => onChange({ ...value, number: currentTarget.value })}
          error={errorOf("number")}
        />
        {!readOnly && (
          <ActionIcon mt={26} aria-label={`Remove number ${name}`} onClick={onRemove}>
            <IconTrash size={15} />
          </ActionIcon>
        )}
      </Group>
      {value.rules.map((rule, index) => (
        <RuleFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list
          key={index}
          name={`${name}, rule ${index + 1}`}
          isOther={index > 0}
          value={rule}
          onChange={(next) => setRules(value.rules.with(index, next))}
          onRemove={() => setRules(value.rules.toSpliced(index, 1))}
          errorOf={(key) => errorOf(`rules.${index}.${key}`) ?? (key === "days" && errorOf(`rules.${index}`))}
          readOnly={readOnly}
        />
      ))}
      {!readOnly && (
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => setRules([...value.rules, { ...NEW_RULE }])}
          >
            {value.rules.length > 0 ? "Or also" : "Only at some times, or in some languages"}
          </Button>
        </div>
      )}
    </div>
  );
}

/** A rule with every key, so that each of the API's errors has a field. */
const NEW_RULE: Rule = { language: "", days: "mo,tu,we,th,fr", start_time: "09:00", end_time: "17:00" };
