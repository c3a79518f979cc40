import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Empty, Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";

const SEARCHED_BY = {
  whole: "The texts are short, so the agent is given all of them.",
  words: "Found by words.",
  "words and meaning": "Found by words and meaning.",
};

/** What the agent would be given for a question. */
export function TrySearch({ data_source_id }: { data_source_id: number }) {
  const [typed, setTyped] = useState("");
  const [question, setQuestion] = useState("");
  const found = useQuery({
    queryKey: ["try search", data_source_id, question],
    enabled: question !== "",
    queryFn: ({ signal }) =>
      call("POST /api/v1/data_sources/{data_source_id}/search", {
        path: { data_source_id },
        body: { question },
        signal,
      }),
  });
  return (
    <Panel title="Test search">
      <Stack gap="md">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setQuestion(typed.trim());
          }}
        >
          <Group align="flex-end" gap="xs">
            <TextInput
              label="Question"
              placeholder="What does a cleaning cost?"
              maxLength={2000}
              flex={1}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Button type="submit" leftSection={<IconSearch size={15} />} disabled={typed.trim() === ""}>
              Search
            </Button>
          </Group>
        </form>
        {question !== "" && (
          <Fetched query={found}>
            {({ results, searched_by }) =>
              results.length === 0 ? (
                <Empty title="Nothing found">No part of the data source has these words.</Empty>
              ) : (
                <Stack gap="md">
                  <Text size="sm" c="dimmed" role="status">
                    {SEARCHED_BY[searched_by]}
                  </Text>
                  {results.map(({ source, data_source, text, score }, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a result is its place
                    <div key={index}>
                      <Text size="sm" fw={600}>
                        <bdi>{source ?? data_source}</bdi>
                        {searched_by !== "whole" && ` · score ${score}`}
                      </Text>
                      <Text size="sm" dir="auto" style={{ whiteSpace: "pre-wrap" }}>
                        {text}
                      </Text>
                    </div>
                  ))}
                </Stack>
              )
            }
          </Fetched>
        )}
      </Stack>
    </Panel>
  );
}
