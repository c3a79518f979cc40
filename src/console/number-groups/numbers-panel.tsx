import { Button, Stack, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { NumberFigures, NumberGroupReport } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { Fetched, Panel, RouteLink, Scroller, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import classes from "./number-groups.module.css";

const REFRESH_ms = 15_000;
const DAY_ms = 86_400_000;
const WORDS = { voice: "answered", sms: "delivered" } as const;

type Group = { number_group_id: number; mode: "voice" | "sms" };

/** Each number's attempts, answers, use and rest. */
export function NumbersPanel({ number_group_id, mode }: Group) {
  const report = useQuery({
    queryKey: ["number report", number_group_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/number-groups/{number_group_id}/report", {
        path: { number_group_id },
        signal,
      }),
    refetchInterval: REFRESH_ms,
  });
  return (
    <Panel title="Numbers">
      <Fetched query={report} lines={4}>
        {(found) => (
          <Stack gap="sm">
            <Text size="sm">{summaryOf(found, mode)}</Text>
            {found.numbers.length > 0 && (
              <Scroller label="Numbers of the group" className={classes.scroll}>
                <NumberTable report={found} number_group_id={number_group_id} mode={mode} />
              </Scroller>
            )}
          </Stack>
        )}
      </Fetched>
    </Panel>
  );
}

const percent = (share: number | null): string => `${Math.round((share ?? 0) * 100)} %`;

function summaryOf({ numbers, total, day }: NumberGroupReport, mode: Group["mode"]): string {
  if (numbers.length === 0) return "No numbers yet. Choose some under Settings.";
  const used = counted(
    numbers.reduce((sum, { uses }) => sum + uses, 0),
    "attempt",
  );
  if (total.tried === 0) return `${used} on ${day}. None has ended in the last 7 days.`;
  const seven = `${total.answered.toLocaleString("en")} of ${counted(total.tried, "attempt")} of the last 7 days were ${WORDS[mode]}`;
  return `${used} on ${day}. ${seven} (${percent(total.rate)}).`;
}

const NumberTable = ({ report, ...group }: Group & { report: NumberGroupReport }) => (
  <Table>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Number</Table.Th>
        <Table.Th>Status</Table.Th>
        <Table.Th ta="right">Used today</Table.Th>
        <Table.Th ta="right">Attempts</Table.Th>
        <Table.Th ta="right">{group.mode === "voice" ? "Answered" : "Delivered"}</Table.Th>
        <Table.Th>Channel</Table.Th>
        <Table.Th>Action</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {report.numbers.map((number) => (
        <NumberRow
          key={number.channel_target_id}
          number={number}
          cap={report.daily_cap}
          number_group_id={group.number_group_id}
        />
      ))}
    </Table.Tbody>
  </Table>
);

function NumberRow(props: { number: NumberFigures; cap: number | null; number_group_id: number }) {
  const { number, cap, number_group_id } = props;
  const { tried, rate, low, high, uses } = number;
  return (
    <Table.Tr>
      <Table.Td>
        <bdi>{number.number}</bdi>
      </Table.Td>
      <Table.Td>
        <NumberStatus number={number} cap={cap} />
      </Table.Td>
      <Table.Td ta="right">
        {uses.toLocaleString("en")}
        {cap !== null && ` of ${cap.toLocaleString("en")}`}
      </Table.Td>
      <Table.Td ta="right">{tried.toLocaleString("en")}</Table.Td>
      <Table.Td ta="right">
        {tried === 0 ? "–" : `${percent(rate)} (${percent(low)} to ${percent(high)})`}
      </Table.Td>
      <Table.Td>
        <RouteLink to={`/channels/${number.channel_id}`}>{number.channel_name}</RouteLink>
      </Table.Td>
      <Table.Td>
        <RestButton number={number} number_group_id={number_group_id} />
      </Table.Td>
    </Table.Tr>
  );
}

function NumberStatus({ number, cap }: { number: NumberFigures; cap: number | null }) {
  const { resting_until, rest_reason, paused_until, uses } = number;
  if (resting_until !== null)
    return (
      <>
        <Status tone="warn">Resting</Status> until <Time at={resting_until} kind="minute" />
        {rest_reason && (
          <Text size="xs" c="dimmed">
            {rest_reason}
          </Text>
        )}
      </>
    );
  if (cap !== null && uses >= cap) return <Status tone="quiet">Cap reached</Status>;
  if (paused_until !== null)
    return (
      <>
        <Status tone="bad">Paused</Status> until <Time at={paused_until} kind="minute" />
      </>
    );
  return <Status tone="good">OK</Status>;
}

/** Rests a number for a day, or ends its rest. */
function RestButton({ number, number_group_id }: { number: NumberFigures; number_group_id: number }) {
  const may = useMay();
  const client = useQueryClient();
  const isResting = number.resting_until !== null;
  const change = useAction({
    mutationFn: () =>
      call("PUT /api/v1/outbound/number-groups/{number_group_id}/numbers/{channel_target_id}/rest", {
        path: { number_group_id, channel_target_id: number.channel_target_id },
        body: { resting_until: isResting ? null : new Date(Date.now() + DAY_ms).toISOString() },
      }),
    async onSuccess() {
      notifications.show({
        message: isResting ? `${number.number} is used again` : `${number.number} rests for 24 hours`,
        color: "green",
      });
      await client.invalidateQueries({ queryKey: ["number report", number_group_id] });
    },
    onError: (error) => notifications.show({ message: error.message, color: "red" }),
  });
  if (!may("outbound_write")) return "–";
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={change.isPending}
      aria-label={isResting ? `End rest of ${number.number}` : `Rest 24 h, ${number.number}`}
      onClick={() => change.mutate()}
    >
      {isResting ? "End rest" : "Rest 24 h"}
    </Button>
  );
}
