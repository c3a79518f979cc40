import { NumberInput } from "@mantine/core";
import type { ConfirmationRule } from "../api-types.ts";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

/** How many people are contacted without somebody's second look. */
export const ConfirmationPanel = () => (
  <SettingsPanel<ConfirmationRule, ConfirmationRule>
    title="Confirmation before a start"
    noun="Confirmation rule"
    queryKey={["confirmation-rule"]}
    read={() => call("GET /api/v1/outbound/confirmation", {})}
    save={(body) => call("PUT /api/v1/outbound/confirmation", { body })}
    values={({ above }) => ({ above })}
    labels={{ above: "People without confirmation" }}
    permission="organizations_write"
    invalidates={[["batch"], ["campaign"]]}
  >
    {(form) => (
      <NumberInput
        label="People without confirmation"
        description="A batch with more people waits until somebody confirms how many. Empty: none waits. Running batches go on."
        placeholder="Any number"
        min={1}
        allowDecimal={false}
        thousandSeparator=","
        value={form.getValues().above ?? ""}
        onChange={(value) => form.setFieldValue("above", numberOrNull(value))}
        error={form.errors.above}
      />
    )}
  </SettingsPanel>
);
