import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { ToolAuthType } from "../api-types.ts";
import { PasswordField } from "../parts/password-field.tsx";

export const AUTH_NAMES: Record<ToolAuthType, string> = {
  basic: "User and password",
  bearer: "Bearer token",
  custom_headers: "Custom headers",
  oauth2: "OAuth 2 client credentials",
};

const FIELDS: Record<Exclude<ToolAuthType, "custom_headers">, string[]> = {
  basic: ["username", "password"],
  bearer: ["token"],
  oauth2: ["client_id", "client_secret", "auth_url"],
};

/** By key: a text replaces what is stored, null keeps it, and what is left out is removed. */
export type AuthValues = Record<string, string | null>;

type Props = {
  type: ToolAuthType | null;
  values: AuthValues;
  onChange(type: ToolAuthType | null, values: AuthValues): void;
  error?: ReactNode;
  /** Of one credential by its key. */
  errorOf(key: string): ReactNode;
};

const FIELD_NAMES: Record<string, string> = {
  username: "User name",
  password: "Password",
  token: "Token",
  client_id: "Client ID",
  client_secret: "Client secret",
  auth_url: "Token URL",
};

/** Each is a field of the form from the beginning, so that it can say what is wrong with it. */
const emptyValues = (type: ToolAuthType | null): AuthValues =>
  type === null || type === "custom_headers"
    ? {}
    : Object.fromEntries(FIELDS[type].map((name) => [name, ""]));

/** Credentials can be written and not read: a stored one shows as such, and is kept until something is typed. */
export function AuthFields({ type, values, onChange, error, errorOf }: Props) {
  const set = (name: string, text: string | null) => onChange(type, { ...values, [name]: text });
  return (
    <Stack gap="sm">
      <Select
        label="Authentication"
        placeholder="None"
        clearable
        data={Object.entries(AUTH_NAMES).map(([value, label]) => ({ value, label }))}
        value={type}
        onChange={(chosen) => onChange(chosen as ToolAuthType | null, emptyValues(chosen as typeof type))}
        error={error}
      />
      {type !== null && type !== "custom_headers" && (
        <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
          {FIELDS[type].map((name) => (
            <Secret
              key={name}
              name={FIELD_NAMES[name] ?? name}
              value={values[name]}
              onChange={(text) => set(name, text)}
              error={errorOf(name)}
              plain={name === "username" || name === "client_id" || name === "auth_url"}
            />
          ))}
        </Group>
      )}
      {type === "custom_headers" && (
        <Stack gap={6}>
          <Text size="sm" fw={500}>
            Headers
          </Text>
          {Object.entries(values).map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header is its place while its name is being typed
            <Group key={index} gap={6} wrap="nowrap" align="flex-start">
              <TextInput
                aria-label={`Name of header ${index + 1}`}
                placeholder="x-api-key"
                style={{ flex: "1 1 40%" }}
                value={name}
                readOnly={value === null}
                onChange={({ currentTarget }) =>
                  onChange(
                    type,
                    Object.fromEntries(
                      Object.entries(values).map(([key, kept], at) =>
                        at === index ? [currentTarget.value, kept] : [key, kept],
                      ),
                    ),
                  )
                }
              />
              <div style={{ flex: "1 1 60%" }}>
                <Secret
                  name={`Value of header ${index + 1}`}
                  hidden
                  value={value}
                  onChange={(text) => set(name, text)}
                  error={errorOf(name)}
                />
              </div>
              <ActionIcon
                aria-label={`Remove header ${name || index + 1}`}
                onClick={() => onChange(type, without(values, name))}
              >
                <IconTrash size={15} />
              </ActionIcon>
            </Group>
          ))}
          <div>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconPlus size={14} />}
              disabled={Object.hasOwn(values, "")}
              onClick={() => onChange(type, { ...values, "": "" })}
            >
              Add header
            </Button>
          </div>
        </Stack>
      )}
    </Stack>
  );
}

function Secret(props: {
  name: string;
  value: string | null | undefined;
  onChange(value: string | null): void;
  plain?: boolean;
  hidden?: boolean;
  error: ReactNode;
}) {
  const { name, value, onChange, plain = false, hidden = false, error } = props;
  const Field = plain ? TextInput : PasswordField;
  return (
    <Field
      {...(hidden ? { "aria-label": name } : { label: name })}
      autoComplete="off"
      placeholder={value === null ? "stored; type to replace it" : ""}
      value={value ?? ""}
      error={error}
      // Clearing a field keeps the stored value, where there is one.
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

const without = (values: AuthValues, name: string): AuthValues =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
