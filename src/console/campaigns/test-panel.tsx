import { Button, Stack, Table, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { OutboundCampaignResponse, TestOutreach } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { spoken } from "../outbound/channel-statuses.ts";
import { Fetched, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const TESTS = "GET /api/v1/outbound/campaigns/{campaign_id}/tests";
const SHOWN = 5;
const LOOK_ms = 1_000;
/** A test that says nothing new for so long is not watched any more. */
const WATCHED_ms = 10 * 60_000;
/** Of these the carrier says nothing more. */
const OVER =
  /^(BUSY|CANCELED|COMPLETED|DECLINED|NO-ANSWER|FAILED|DELIVERED|UNDELIVERED|BOUNCED|DROPPED|SIP_.*|.*_FAILED)$/;

const isUnderWay = ({ state, channel_status, started_at }: TestOutreach): boolean =>
  state !== "FAILED" &&
  state !== "UNKNOWN" &&
  !(state === "SENT" && OVER.test(channel_status)) &&
  Date.now() - Date.parse(started_at) < WATCHED_ms;

/** The campaign tried out with oneself, before anybody of its lists is contacted. */
export function TestPanel({ campaign }: { campaign: OutboundCampaignResponse }) {
  const mayTest = useMay()("outbound_write");
  const [isOpen, { open, close }] = useDisclosure(false);
  const tests = useQuery({
    queryKey: [TESTS, campaign.id],
    queryFn: ({ signal }) => call(TESTS, { path: { campaign_id: campaign.id }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? LOOK_ms : false),
  });
  return (
    <Panel
      title="Test with yourself"
      actions={
        mayTest && (
          <Button size="xs" variant="default" onClick={open}>
            Start a test
          </Button>
        )
      }
    >
      <Fetched query={tests} lines={1}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm">
              {mayTest
                ? "Contacts you as the campaign would contact somebody. Nothing counts it, and no hours apply."
                : "No tests yet. Starting one needs the permission outbound_write."}
            </Text>
          ) : (
            <Table aria-label="Tests of the campaign">
              <Table.Tbody>
                {found.slice(0, SHOWN).map((test) => (
                  <Row key={test.key} test={test} />
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Fetched>
      {isOpen && <TestWindow campaign={campaign} onClose={close} />}
    </Panel>
  );
}

const stateText = ({ state, channel_status }: TestOutreach): string => {
  if (state === "UNKNOWN") return "fate unknown";
  return state === "SENT" || state === "FAILED" ? spoken(channel_status) : "starting";
};

function Row({ test }: { test: TestOutreach }) {
  const { target, state, problem, session_id, started_at } = test;
  return (
    <Table.Tr>
      <Table.Td>
        <bdi>{target}</bdi>
        <Text size="xs" c="dimmed">
          <Time at={started_at} />
        </Text>
      </Table.Td>
      <Table.Td>
        <Status
          tone={state === "FAILED" || state === "UNKNOWN" ? "bad" : isUnderWay(test) ? "busy" : "quiet"}
        >
          {stateText(test)}
        </Status>
        {problem && <Text size="sm">{problem}</Text>}
      </Table.Td>
      <Table.Td ta="right">
        {session_id && <RouteLink to={`/sessions/${session_id}`}>Conversation</RouteLink>}
      </Table.Td>
    </Table.Tr>
  );
}

function TestWindow({ campaign, onClose }: { campaign: OutboundCampaignResponse; onClose(): void }) {
  const client = useQueryClient();
  const isMail = campaign.mode === "email";
  const { form, sending } = useWindowForm({
    initial: { target: "", request_variables: { ...campaign.campaign_variables } },
    send: (body) =>
      call("POST /api/v1/outbound/campaigns/{campaign_id}/tests", {
        path: { campaign_id: campaign.id },
        body,
      }),
    async onSent() {
      await client.invalidateQueries({ queryKey: [TESTS, campaign.id] });
      onClose();
    },
  });
  return (
    <WindowForm title="Start a test" verb="Contact me" sending={sending} onClose={onClose}>
      <Stack gap="sm">
        <TextInput
          label={isMail ? "Your e-mail address" : "Your number"}
          description={isMail ? undefined : "With its country code, such as +15125550199."}
          required
          data-autofocus
          {...form.getInputProps("target")}
        />
        <KeyValues
          label="Variables"
          description="What a person's row in a file would say."
          value={form.getValues().request_variables}
          onChange={(variables) => form.setFieldValue("request_variables", variables)}
          error={form.errors.request_variables}
        />
      </Stack>
    </WindowForm>
  );
}
