import { Group, NumberInput, Switch, Textarea } from "@mantine/core";
import type { AccessRulesResponse } from "../api-types.ts";
import type { FieldsForm } from "../records/record-form.tsx";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

const KEY = ["access-rules"];
type Values = Pick<AccessRulesResponse, "require_second_factor" | "idle_minutes" | "longest_hours"> & {
  networks: string;
};

const read = () => call("GET /api/v1/organizations/access_rules", {});

/** How people sign in, and from which networks the organization is used. */
export function AccessRulesPanel() {
  return (
    <SettingsPanel<AccessRulesResponse, Values>
      title="Sign-in and access"
      noun="Access rules"
      queryKey={KEY}
      read={read}
      permission="organizations_write"
      labels={{
        require_second_factor: "Require a second factor",
        idle_minutes: "Idle timeout (minutes)",
        longest_hours: "Longest sign-in (hours)",
        networks: "Allowed networks",
      }}
      values={(found) => ({
        require_second_factor: found.require_second_factor ?? false,
        idle_minutes: found.idle_minutes ?? null,
        longest_hours: found.longest_hours ?? null,
        networks: found.allowed_networks.join("\n") ?? "",
      })}
      save={({ networks, ...values }) =>
        call("PUT /api/v1/organizations/access_rules", {
          body: { ...values, allowed_networks: networks.split(/[\s,]+/).filter((one) => one !== "") },
        })
      }
    >
      {(form) => <AccessRulesFields form={form} />}
    </SettingsPanel>
  );
}

function AccessRulesFields({ form }: { form: FieldsForm<Values> }) {
  const { require_second_factor, idle_minutes, longest_hours } = form.getValues();
  const faulty = Object.entries(form.errors).find(([name]) => name.startsWith("allowed_networks"));
  return (
    <>
      <Switch
        label="Require a second factor"
        description="People without one can only set it up. API tokens are not affected."
        checked={require_second_factor}
        onChange={({ currentTarget }) => form.setFieldValue("require_second_factor", currentTarget.checked)}
      />
      <Group gap="md">
        <NumberInput
          w={200}
          label="Idle timeout"
          placeholder="None"
          suffix=" minutes"
          min={5}
          max={720}
          allowDecimal={false}
          value={idle_minutes ?? ""}
          onChange={(value) => form.setFieldValue("idle_minutes", numberOrNull(value))}
          error={form.errors.idle_minutes}
        />
        <NumberInput
          w={200}
          label="Longest sign-in"
          placeholder="12 hours"
          suffix=" hours"
          min={1}
          max={12}
          allowDecimal={false}
          value={longest_hours ?? ""}
          onChange={(value) => form.setFieldValue("longest_hours", numberOrNull(value))}
          error={form.errors.longest_hours}
        />
      </Group>
      <Textarea
        label="Allowed networks"
        description="CIDR, one a line, such as 192.0.2.0/24. Empty: every address."
        autosize
        minRows={2}
        {...form.getInputProps("networks")}
        error={faulty?.[1] ?? form.errors.networks}
      />
    </>
  );
}
