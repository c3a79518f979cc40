import { Button, CloseButton, Group, Input, Select, Stack, TextInput } from "@mantine/core";
import type { BoardTile } from "../api-types.ts";

type Field = BoardTile["search_fields"][number];
export type Filters = { search_fields: Field[]; search_field_values: string[] };

/** The filters that people use; any other of the search is kept as it is stored. */
export const FILTER_WORDS: Partial<Record<Field, string>> = {
  agent_id: "Agent number",
  agent_version: "Agent version",
  channel: "Channel",
  campaign_id: "Campaign number",
  end_reason: "End reason",
  has_error: "Has an error (true or false)",
  tool: "Tool called",
  failed_tool: "Failed tool",
  insight: "Insight (name=value)",
  label: "Label",
  event: "Event",
  insight_from: "Insight, at least (name=number)",
  insight_to: "Insight, at most (name=number)",
  duration_from: "Seconds, at least",
  duration_to: "Seconds, at most",
  cost_from: "US dollars, at least",
  cost_to: "US dollars, at most",
  words: "Words",
  is_test: "Test sessions (true or false)",
};

/** The filters of the session search, as pairs of a field and a value. */
export function FilterFields({ value, onChange }: { value: Filters; onChange(filters: Filters): void }) {
  const { search_fields, search_field_values } = value;
  const put = (n: number, field: Field, text: string) =>
    onChange({
      search_fields: search_fields.with(n, field),
      search_field_values: search_field_values.with(n, text),
    });
  return (
    <Input.Wrapper label="Filters" labelElement="div">
      <Stack gap="xs">
        {search_fields.map((field, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two filters may be alike
          <Group key={n} gap="xs" wrap="nowrap">
            <Select
              aria-label={`Field of filter ${n + 1}`}
              data={[...Object.entries(FILTER_WORDS), ...(FILTER_WORDS[field] ? [] : [[field, field]])].map(
                ([of, label]) => ({
                  value: String(of),
                  label: String(label),
                }),
              )}
              value={field}
              allowDeselect={false}
              onChange={(next) => next && put(n, next as Field, search_field_values[n] ?? "")}
            />
            <TextInput
              aria-label={`Value of filter ${n + 1}`}
              value={search_field_values[n] ?? ""}
              onChange={({ currentTarget }) => put(n, field, currentTarget.value)}
            />
            <CloseButton
              aria-label={`Remove filter ${n + 1}`}
              onClick={() =>
                onChange({
                  search_fields: search_fields.toSpliced(n, 1),
                  search_field_values: search_field_values.toSpliced(n, 1),
                })
              }
            />
          </Group>
        ))}
        <Button
          variant="default"
          size="compact-sm"
          style={{ alignSelf: "start" }}
          onClick={() =>
            onChange({
              search_fields: [...search_fields, "channel"],
              search_field_values: [...search_field_values, "voice"],
            })
          }
        >
          Add filter
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
