import { Button, Group, Kbd, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconScale } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { SessionToLabel } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Empty, Fetched, PageHead, Panel } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Agreement } from "./calibration-panel.tsx";
import { SessionTurns } from "./session-turns.tsx";

type Label = "yes" | "no" | "unclear";

/** One conversation after another, each with the judge's question: yes, no, or unclear, by a key. The judge's answer is not shown. */
export default function LabelPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const judge_id = Number(id);
  const client = useQueryClient();
  const [after, setAfter] = useState<number | null>(null);
  const [given, setGiven] = useState(0);
  const next = useQuery({
    queryKey: ["judge", id, "next", after, given],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call("GET /api/v1/judges/{judge_id}/next_session", { path: { judge_id }, query: { after }, signal }),
  });
  const labelling = useAction({
    mutationFn: ({ session_id, label }: { session_id: number; label: Label }) =>
      call("PUT /api/v1/judges/{judge_id}/labels/{session_id}", {
        path: { judge_id, session_id },
        body: { label },
      }),
    async onSuccess() {
      setGiven((count) => count + 1);
      await client.invalidateQueries({ queryKey: ["GET /api/v1/judges/"] });
    },
    onError: showFailure,
  });
  const judge = next.data?.judge;
  return (
    <>
      <PageHead
        title="Label sessions"
        about={judge && "Answer before you know what the judge says. It is asked after you."}
        back={{ to: `/tests/judges/${id}`, label: judge?.name ?? "Judge" }}
      />
      <Fetched query={next} lines={12}>
        {(shown) => (
          <Stack gap="md">
            <Question
              shown={shown}
              isBusy={labelling.isPending || next.isPlaceholderData}
              onLabel={(session_id, label) => labelling.mutate({ session_id, label })}
              onSkip={setAfter}
            />
            <Panel title="Agreement so far">
              <Agreement judge={shown.judge} />
            </Panel>
          </Stack>
        )}
      </Fetched>
    </>
  );
}

function Question(props: {
  shown: SessionToLabel;
  isBusy: boolean;
  onLabel(session_id: number, label: Label): void;
  onSkip(session_id: number): void;
}) {
  const { shown, isBusy, onLabel, onSkip } = props;
  const { session_id, judge } = shown;
  const may = useMay();
  const label = (chosen: Label) => {
    if (session_id !== null && !isBusy && may("tests_write")) onLabel(session_id, chosen);
  };
  useHotkeys([
    ["y", () => label("yes")],
    ["n", () => label("no")],
    ["u", () => label("unclear")],
  ]);
  if (session_id === null)
    return (
      <Empty title="Every session has a label" icon={<IconScale />}>
        Only sessions that have ended and in which the person said something are offered.
      </Empty>
    );
  return (
    <>
      <Panel title={<bdi>{judge.question}</bdi>}>
        <Group gap="xs">
          {LABELS.map(({ value, word, key }) => (
            <Button
              key={value}
              variant="default"
              disabled={isBusy || !may("tests_write")}
              rightSection={<Kbd>{key}</Kbd>}
              onClick={() => label(value)}
            >
              {word}
            </Button>
          ))}
          <Button variant="subtle" disabled={isBusy} onClick={() => onSkip(session_id)}>
            Another one
          </Button>
        </Group>
        <Text size="xs" c="dimmed" mt="xs">
          Unclear sessions are not counted.
        </Text>
      </Panel>
      <Panel title={`Session ${session_id}`}>
        <SessionTurns session_id={session_id} among={`Session ${session_id}`} absent="" />
      </Panel>
    </>
  );
}

const LABELS = [
  { value: "yes", word: "Yes", key: "Y" },
  { value: "no", word: "No", key: "N" },
  { value: "unclear", word: "Unclear", key: "U" },
] as const;
