import { Alert, Button, Stack, Text } from "@mantine/core";
import type { CampaignPreflight, PreflightReason, PreflightStep } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { Names } from "../parts/names.tsx";
import { Facts, Failure, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";

/** Who of the waiting people would be contacted, and why the others would not; asked for by a button. */
export function PreflightPanel({ campaign_id }: { campaign_id: number }) {
  const check = useAction({
    mutationFn: () =>
      call("POST /api/v1/outbound/campaigns/{campaign_id}/preflight", { path: { campaign_id }, body: {} }),
  });
  return (
    <Panel
      title="Check before start"
      actions={
        <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          Preview contacts
        </Button>
      }
    >
      {check.error ? (
        <Failure error={check.error} />
      ) : check.data ? (
        <Found found={check.data} />
      ) : (
        <Text size="sm">Counts who would be contacted, and why not the others. Nobody is contacted.</Text>
      )}
    </Panel>
  );
}

const lines = (counted: PreflightReason[]): [string, string][] =>
  counted.map(({ text, count }) => [text, count.toLocaleString("en")]);

function Found({ found }: { found: CampaignPreflight }) {
  const { contacted, later, skipped, judged, waiting, batches, outdated_lists, sender, steps, problems } =
    found;
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>
        {contacted.toLocaleString("en")} of {counted(judged, "person", "people")} will be contacted
      </Text>
      {judged < waiting && (
        <Text size="sm">
          The first {judged.toLocaleString("en")} of {waiting.toLocaleString("en")} were checked.
        </Text>
      )}
      {problems.length > 0 && (
        <Alert color="red" title="Steps that can't be sent">
          {problems.map(({ text }) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
        </Alert>
      )}
      {sender.length > 0 && (
        <Alert color="yellow" title="Caller ID">
          {sender.map(({ number, text }) => (
            <Text key={number} size="sm">
              {text}
            </Text>
          ))}
        </Alert>
      )}
      {outdated_lists.length > 0 && (
        <Alert color="yellow" title="Outdated do-not-call lists">
          Import a new file: <Names of={outdated_lists} />.
        </Alert>
      )}
      {later.length > 0 && (
        <>
          <Text size="sm" fw={600}>
            Later
          </Text>
          <Facts items={lines(later)} />
        </>
      )}
      {skipped.length > 0 && (
        <>
          <Text size="sm" fw={600}>
            Not contacted
          </Text>
          <Facts items={lines(skipped)} />
        </>
      )}
      {steps.map((step) => (
        <StepFound key={step.number} step={step} />
      ))}
      {batches.map(({ batch_id, text }) => (
        <Text key={batch_id} size="sm">
          <bdi>{batch_id}</bdi>: {text}
        </Text>
      ))}
    </Stack>
  );
}

const CHANNELS: Record<PreflightStep["mode"], string> = {
  voice: "calls",
  sms: "texts",
  whatsapp: "WhatsApp",
  email: "e-mails",
};

function StepFound({ step: { number, mode, source, reachable, unreachable } }: { step: PreflightStep }) {
  const all = unreachable.reduce((sum, { count }) => sum + count, reachable);
  return (
    <>
      <Text size="sm" fw={600}>
        Step {number}, {CHANNELS[mode]} from <bdi>{source}</bdi>: {reachable.toLocaleString("en")} of{" "}
        {counted(all, "person", "people")} can be reached
      </Text>
      {unreachable.length > 0 && <Facts items={lines(unreachable)} />}
    </>
  );
}
