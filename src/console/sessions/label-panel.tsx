import { Button, Group, SegmentedControl, Stack, TagsInput, Text, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SessionLabelCreate } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Names } from "../parts/names.tsx";
import { Failure, Fetched, Panel, Status, type Tone } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay, useMe } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

type Code = SessionLabelCreate["code"];
const CODES: Code[] = ["GOOD", "OK", "BAD", "N/A"];
/** Suggested labels; any other text is allowed. */
const ISSUES = [
  "Silent treatment",
  "Speech transcription (STT)",
  "Interruption",
  "Latency",
  "Wrong information",
  "Wrong tool call",
  "Failed transfer",
  "Voice quality",
  "Language",
  "Other",
];
const TONES: Record<string, Tone> = { GOOD: "good", OK: "info", BAD: "bad" };

/** Ratings of the session, by people and by the automatic rating. */
export function LabelPanel({ id }: { id: string }) {
  const may = useMay();
  const me = useMe();
  const client = useQueryClient();
  const queryKey = ["session", id, "labels"];
  const [code, setCode] = useState<Code>("GOOD");
  const [comments, setComments] = useState("");
  const [issues, setIssues] = useState<string[]>([]);
  const labels = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      call("GET /api/v1/session_labels/", {
        query: {
          search_fields: ["session_id"],
          search_field_values: [id],
          order_by: "timestamp",
          order_by_direction: "desc",
        },
        signal,
      }),
  });
  const add = useAction({
    mutationFn: () =>
      call("POST /api/v1/session_labels/", {
        body: {
          session_id: Number(id),
          type: "human-rating",
          code,
          user_email: me.email,
          comments: comments.trim() || null,
          issue_categories: issues,
        },
      }),
    async onSuccess() {
      setComments("");
      setIssues([]);
      await client.invalidateQueries({ queryKey });
    },
  });
  return (
    <Panel title="Labels">
      <Stack gap="sm">
        <Fetched query={labels} lines={2}>
          {({ items }) =>
            items.length === 0 ? (
              <Text size="sm" c="dimmed">
                No labels yet.
              </Text>
            ) : (
              items.map((label) => (
                <div key={label.id}>
                  <Group gap="xs">
                    <Status tone={TONES[label.code] ?? "quiet"}>{label.code}</Status>
                    <Text size="xs" c="dimmed">
                      {label.user_email}, <Time at={label.timestamp} kind="minute" />
                    </Text>
                  </Group>
                  {label.issue_categories && label.issue_categories.length > 0 && (
                    <Text size="sm" mt={2}>
                      <Names of={label.issue_categories} />
                    </Text>
                  )}
                  {label.comments && (
                    <Text size="sm" dir="auto" mt={2}>
                      {label.comments}
                    </Text>
                  )}
                </div>
              ))
            )
          }
        </Fetched>
        {may("session_labels_write") && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              add.mutate();
            }}
          >
            <Stack gap="xs">
              <SegmentedControl
                size="xs"
                fullWidth
                aria-label="Rating"
                data={CODES}
                value={code}
                onChange={(value) => setCode(value as Code)}
              />
              <TagsInput
                size="sm"
                aria-label="Issues"
                placeholder={issues.length === 0 ? "Issues (optional)" : ""}
                data={ISSUES}
                value={issues}
                onChange={setIssues}
              />
              <Textarea
                size="sm"
                aria-label="Comment"
                placeholder="Comment (optional)"
                autosize
                minRows={1}
                maxRows={6}
                maxLength={5000}
                value={comments}
                onChange={({ currentTarget }) => setComments(currentTarget.value)}
              />
              {add.error && <Failure error={add.error} />}
              <Button type="submit" size="xs" variant="default" loading={add.isPending}>
                Add label
              </Button>
            </Stack>
          </form>
        )}
      </Stack>
    </Panel>
  );
}
