import { NumberInput, Text } from "@mantine/core";
import type { AgentDialingSettings, AgentDialingState } from "../../api-types.ts";
import { numberOrNull, SettingsPanel } from "../../records/settings-panel.tsx";
import { call } from "../../server/api.ts";

/** How many calls the agent may have at once, over all its campaigns. */
export function DialingSection({ agent_id }: { agent_id: number }) {
  const path = { agent_id };
  return (
    <SettingsPanel<AgentDialingState, AgentDialingSettings>
      title="Concurrent calls"
      noun="Concurrent calls"
      queryKey={["agent", agent_id, "dialing settings"]}
      read={() => call("GET /api/v1/agents/{agent_id}/dialing-settings", { path })}
      save={(body) => call("PUT /api/v1/agents/{agent_id}/dialing-settings", { path, body })}
      values={({ max_concurrent }) => ({ max_concurrent })}
      labels={{ max_concurrent: "Calls at once" }}
      permission="outbound_write"
      verb="Review the limit"
    >
      {(form, { outbound_calls, inbound_calls }) => (
        <>
          <Text size="sm">
            Calls now: {outbound_calls} outbound, {inbound_calls} inbound.
          </Text>
          <NumberInput
            label="Calls at once"
            description="Campaigns start no call beyond this limit. Inbound calls count and are always answered. Empty: no limit."
            placeholder="No limit"
            min={1}
            max={10_000}
            allowDecimal={false}
            thousandSeparator=","
            value={form.getValues().max_concurrent ?? ""}
            onChange={(value) => form.setFieldValue("max_concurrent", numberOrNull(value))}
            error={form.errors.max_concurrent}
          />
        </>
      )}
    </SettingsPanel>
  );
}
