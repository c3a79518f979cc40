import { Button, Code, Table, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import type { RedactedValues } from "../api-types.ts";
import { Empty, Panel } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";

/** What was redacted in a session, for who may open it. */
export function RedactedPanel({ id }: { id: string }) {
  const [opened, window] = useDisclosure(false);
  const [values, setValues] = useState<RedactedValues | null>(null);
  return (
    <Panel
      title="Redacted values"
      actions={
        <Button size="compact-sm" variant="default" onClick={window.open}>
          Show values
        </Button>
      }
    >
      {values === null ? (
        <Text size="sm" c="dimmed">
          Each view is recorded in the audit log.
        </Text>
      ) : values.length === 0 ? (
        <Empty title="Nothing was redacted, or it is not kept any more" />
      ) : (
        <Table>
          <Table.Tbody>
            {values.map(({ token, kind, value }) => (
              <Table.Tr key={token}>
                <Table.Td>
                  <Code>{`[${kind}: ${token}]`}</Code>
                </Table.Td>
                <Table.Td>
                  <bdi>{String(value)}</bdi>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {opened && <Reason id={id} onValues={setValues} onClose={window.close} />}
    </Panel>
  );
}

function Reason(props: { id: string; onValues(values: RedactedValues): void; onClose(): void }) {
  const { id, onValues, onClose } = props;
  const { form, sending } = useWindowForm({
    initial: { reason: "" },
    send: (body) =>
      call("POST /api/v1/sessions/{session_id}/redacted_values/open", { path: { session_id: id }, body }),
    async onSent(values) {
      onValues(values);
      onClose();
    },
  });
  return (
    <WindowForm title="Show redacted values" verb="Show values" sending={sending} onClose={onClose}>
      <TextInput
        label="Reason"
        description="Stored in the audit log with your name."
        required
        data-autofocus
        {...form.getInputProps("reason")}
      />
    </WindowForm>
  );
}
