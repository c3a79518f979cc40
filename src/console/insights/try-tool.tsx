import { Alert, Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { IconPlayerPlay, IconTheater } from "@tabler/icons-react";
import { useState } from "react";
import { useAction } from "../parts/action.ts";
import { Code, Failure, Panel } from "../parts/parts.tsx";
import { callWithHeaders } from "../server/api.ts";

/** Set where the offline model answered instead of a configured one. */
const SCRIPTED_HEADER = "x-parley-scripted-model";

/** Runs the saved tool once on one session; the result is not stored. */
export function TryTool(props: { name: string; saved_at: string | undefined; isDirty: boolean }) {
  const { name, saved_at, isDirty } = props;
  const [session, setSession] = useState<number | string>("");
  const trying = useAction({
    async mutationFn() {
      const session_id = Number(session);
      const { answer, headers } = await callWithHeaders("POST /api/v1/insights/tools-test", {
        body: { tool_name: name, session_id },
      });
      return { answer, session_id, saved_at, isScripted: headers.get(SCRIPTED_HEADER) === "true" };
    },
  });
  return (
    <Panel title="Try it on a session">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Runs once. The result is not stored.{" "}
          {isDirty ? "Save your changes first to test them." : "Costs the same as one run."}
        </Text>
        <Group gap="xs" align="flex-end">
          <NumberInput
            label="Session ID"
            min={1}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            value={session}
            onChange={setSession}
          />
          <Button
            variant="default"
            leftSection={<IconPlayerPlay size={15} />}
            disabled={session === ""}
            loading={trying.isPending}
            onClick={() => trying.mutate()}
          >
            Try it
          </Button>
        </Group>
        {trying.error && <Failure error={trying.error} />}
        {trying.data?.isScripted && (
          <Alert color="yellow" icon={<IconTheater />} title="The offline model answered">
            No key is set for the tool's provider. The result is an extract, not an analysis.
          </Alert>
        )}
        {trying.data && (
          <div>
            <Text size="sm" mb={4}>
              In session {trying.data.session_id}
              {trying.data.saved_at !== saved_at && ", before the tool was saved anew"}:
            </Text>
            <Code value={trying.data.answer} label="Result" />
          </div>
        )}
      </Stack>
    </Panel>
  );
}
