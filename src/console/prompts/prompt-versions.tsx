import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PromptHistory, PromptResponse } from "../api-types.ts";
import { differences } from "../changes/differences.ts";
import { SideBySide } from "../changes/side-by-side.tsx";
import { Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { type FieldLabels, labelsBelow } from "../server/field-labels.ts";
import { Time } from "../time/time.tsx";
import { MODEL_LABELS } from "./prompt-values.ts";

type Props = { prompt: PromptResponse; onRestore: ((version: PromptHistory) => void) | null };

/** Compares two versions, side by side or below each other on narrow screens; the earlier one can be restored. */
export function PromptVersions({ prompt, onRestore }: Props) {
  const history = useQuery({
    queryKey: ["prompt history", prompt.id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/prompts/{prompt_id}/history", { path: { prompt_id: prompt.id }, signal }),
  });
  return (
    <Panel title="Versions">
      <Fetched query={history}>
        {(versions) => <Comparison versions={versions} onRestore={onRestore} />}
      </Fetched>
    </Panel>
  );
}

function Comparison({ versions, onRestore }: { versions: PromptHistory[]; onRestore: Props["onRestore"] }) {
  const ordered = versions.toSorted((a, b) => b.version_number - a.version_number);
  const newest = ordered[0]?.version_number ?? 1;
  // Until a version is chosen, the latest change is shown.
  const [chosen, choose] = useState<{ before?: number; after?: number }>({});
  const one = chosen.before ?? ordered[1]?.version_number ?? newest;
  const other = chosen.after ?? newest;
  // The older stands left, in whatever order they were chosen.
  const [before, after] = [Math.min(one, other), Math.max(one, other)];
  const choices = ordered.map(({ version_number }) => ({
    value: String(version_number),
    label: `Version ${version_number}${version_number === newest ? " (newest)" : ""}`,
  }));
  const versionOf = (number: number) => ordered.find(({ version_number }) => version_number === number);
  const [left, right] = [versionOf(before), versionOf(after)];
  if (ordered.length < 2) {
    return (
      <Text size="sm" c="dimmed">
        Only one version so far. Every save creates another, which you can compare and restore.
      </Text>
    );
  }
  return (
    <Stack gap="md">
      <Group gap="md" align="flex-end">
        <Select
          label="From"
          data={choices}
          allowDeselect={false}
          value={String(before)}
          onChange={(number) => choose({ before: Number(number), after })}
        />
        <Select
          label="To"
          data={choices}
          allowDeselect={false}
          value={String(after)}
          onChange={(number) => choose({ before, after: Number(number) })}
        />
        {onRestore && left && before !== newest && (
          <Button variant="default" onClick={() => onRestore(left)}>
            Restore version {before}
          </Button>
        )}
      </Group>
      {[left, right].map(
        (version, index) =>
          version && (
            // biome-ignore lint/suspicious/noArrayIndexKey: left and right
            <Text key={index} size="sm">
              <b>Version {version.version_number}</b>, <Time at={version.timestamp} /> by {version.user_email}
              {version.comments && (
                <>
                  : <bdi>{version.comments}</bdi>
                </>
              )}
            </Text>
          ),
      )}
      {left && right && before !== after ? (
        <SideBySide
          entries={differences(shown(left), shown(right))}
          labels={LABELS}
          before={`Version ${before}`}
          after={`Version ${after}`}
        />
      ) : (
        <Text size="sm" c="dimmed">
          Choose two versions to compare.
        </Text>
      )}
    </Stack>
  );
}

const LABELS: FieldLabels = {
  ...labelsBelow("model", MODEL_LABELS),
  tool_at_the_end: "End-of-session tool",
};

const shown = (version: PromptHistory) => ({
  name: version.prompt_name,
  description: version.prompt_description,
  instructions: version.prompt_text,
  model: version.llm_config,
  tools: version.linked_tools.map(({ current_tool_name }) => current_tool_name),
  tool_at_the_end: version.session_end_tool?.current_tool_name,
});
