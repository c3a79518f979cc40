import { Group, Stack, Table, Text } from "@mantine/core";
import { IconScale } from "@tabler/icons-react";
import type { JudgeLabel, JudgeResponse } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { counted } from "../parts/counted.ts";
import { LinkButton, Panel, RouteLink, Scroller, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const LABELS = "GET /api/v1/judges/{judge_id}/labels";
const REFRESH_MS = 3000;

/** How well a judge agrees with people, and where it does not. */
export function CalibrationPanel({ judge }: { judge: JudgeResponse }) {
  const may = useMay();
  return (
    <Stack gap="md">
      <Panel
        title="Agreement"
        actions={
          <Group gap="xs">
            {may("tests_run") && judge.label_count > 0 && (
              <ConfirmButton
                verb="Ask again"
                question="Run the judge on all labelled sessions again?"
                act={() => call("POST /api/v1/judges/{judge_id}/answers", { path: { judge_id: judge.id } })}
                invalidates={[["judge", String(judge.id)], [LABELS]]}
                done="The judge is being asked"
              >
                Its answers so far are replaced. Labels stay.
              </ConfirmButton>
            )}
            {may("tests_write") && (
              <LinkButton to={`/tests/judges/${judge.id}/label`}>Label sessions</LinkButton>
            )}
          </Group>
        }
      >
        <Agreement judge={judge} />
      </Panel>
      <Panel title="Labels" flush>
        <DataTable
          label="Labels"
          operation={LABELS}
          path={{ judge_id: judge.id }}
          rowKey={({ session_id }) => String(session_id)}
          columns={COLUMNS}
          filters={[
            {
              field: "differs",
              label: "Agreement",
              kind: "choice",
              choices: { true: "differs", false: "does not differ" },
            },
          ]}
          refresh_ms={REFRESH_MS}
          empty={{
            title: "No label yet",
            icon: IconScale,
            about: "Read conversations and answer the question yourself. The judge is asked the same.",
          }}
        />
      </Panel>
    </Stack>
  );
}

export function Agreement({ judge }: { judge: JudgeResponse }) {
  const { kappa, low, high, gates, says, waiting, failed, unclear, ...counts } = judge.calibration;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Status tone={gates ? "good" : "warn"}>{gates ? "counts" : "informs only"}</Status>
        <Text size="sm">{says}</Text>
      </Group>
      {kappa !== null && low !== null && high !== null && (
        <Text size="sm">
          κ = {kappa.toFixed(2)} (95 %: {low.toFixed(2)} to {high.toFixed(2)})
        </Text>
      )}
      {counts.answered > 0 && (
        <Scroller label="Agreement with people, by answer">
          <Table aria-label="Agreement with people" w="auto">
            <Table.Thead>
              <Table.Tr>
                <Table.Th />
                <Table.Th>Judge: yes</Table.Th>
                <Table.Th>Judge: no</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              <Table.Tr>
                <Table.Th>Person: yes</Table.Th>
                <Table.Td>{counts.both_yes}</Table.Td>
                <Table.Td>{counts.person_yes}</Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th>Person: no</Table.Th>
                <Table.Td>{counts.judge_yes}</Table.Td>
                <Table.Td>{counts.both_no}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </Scroller>
      )}
      <Text size="sm" c="dimmed">
        {counts.labelled} labelled
        {unclear > 0 && `, ${unclear} more unclear`}
        {waiting > 0 && `; ${counted(waiting, "waits", "wait")} for the judge as it is now`}
        {failed > 0 && `; ${failed} without an answer`}
        {counts.answered > 0 && `. Answered by ${counts.model ?? "no model"}`}.
      </Text>
    </Stack>
  );
}

const COLUMNS: Column<JudgeLabel>[] = [
  {
    field: "session_id",
    title: "Session",
    render: ({ session_id }) => <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink>,
  },
  { field: "label", title: "Person", orderable: true },
  {
    field: "answer",
    title: "Judge",
    orderable: true,
    render: ({ answer, votes_yes, fault, is_current }) =>
      answer !== null ? (
        <Status tone={is_current ? "info" : "quiet"}>
          {answer} ({votes_yes} yes){is_current ? "" : ", as it was before"}
        </Status>
      ) : (
        (fault ?? "not asked yet")
      ),
  },
  timeColumn("labelled_at", "Labelled"),
  { field: "labelled_by", title: "By", orderable: true },
];
