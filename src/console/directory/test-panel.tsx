import { Group, Select, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DirectoryMember, LanguageCode } from "../api-types.ts";
import { Fetched, Panel, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { MinuteField } from "../time/minute-field.tsx";

const LANGUAGES: LanguageCode[] = [
  "en-US",
  "es-US",
  "fr-FR",
  "zh-CN",
  "yue-HK",
  "ar-XA",
  "bs-BA",
  "fa-IR",
  "gu-IN",
  "hi-IN",
  "ja-JP",
  "ko-KR",
  "ne-NP",
  "ru-RU",
  "sw-KE",
  "th-TH",
  "vi-VN",
];

/** Which number a caller would reach at a time, in a language, by the member as it is saved. */
export function TestPanel({ member }: { member: DirectoryMember }) {
  const [at, setAt] = useState(() => localMinute(new Date()));
  const [language, setLanguage] = useState<string | null>(null);
  const test = useQuery({
    queryKey: ["directory test", member.id, member.updated_at, at, language],
    enabled: at !== "",
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      call("GET /api/v1/directory_members/{member_id}/test", {
        path: { member_id: member.id },
        query: { timestamp: `${at}:00`, language_code: language as LanguageCode | null },
        signal,
      }),
  });
  return (
    <Panel title="Schedule preview">
      <Group gap="sm" align="flex-end" mb="sm">
        <MinuteField label="Date and time" value={at} onChange={setAt} />
        <Select
          label="Caller's language"
          placeholder="not known"
          clearable
          clearButtonProps={{ "aria-label": "Clear the language" }}
          data={LANGUAGES}
          value={language}
          onChange={setLanguage}
        />
      </Group>
      <Fetched query={test} lines={1}>
        {({ extension, status }) =>
          extension === null ? (
            <Status tone="warn">{status ?? "nobody"}</Status>
          ) : (
            <Text role="status">
              <Status tone="good">reached</Status> <b dir="ltr">{extension}</b>
            </Text>
          )
        }
      </Fetched>
      <Text size="xs" c="dimmed" mt="xs">
        Uses the saved member. Each rule applies in its own time zone, or the agent's.
      </Text>
    </Panel>
  );
}

const localMinute = (now: Date): string =>
  new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
