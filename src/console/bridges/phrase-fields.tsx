import { ActionIcon, Button, Group, Select, Stack, Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { PhraseSet } from "../api-types.ts";
import { findTools } from "../prompts/tool-names.tsx";
import { useMay } from "../server/me.tsx";

const TYPING_MS = 250;

/** Tags that the voices know; `es` stands for any Spanish. */
const LANGUAGES = [
  "en",
  "es",
  "fr",
  "ar",
  "bs",
  "fa",
  "gu",
  "hi",
  "ja",
  "ko",
  "ne",
  "ru",
  "sw",
  "th",
  "vi",
  "yue",
  "zh",
];

type Props = {
  /** The owner of the phrases: "All tools", "look_up". */
  name: string;
  value: PhraseSet;
  onChange(value: PhraseSet): void;
  errorOf(path: string): ReactNode;
  readOnly: boolean;
  /** Replaces the usual description of bridge phrases. */
  label?: string;
  description?: string;
};

/** Phrases for all languages, and others by language; one per line, in order. */
export function PhraseFields({ name, value, onChange, errorOf, readOnly, ...texts }: Props) {
  const languages = Object.keys(value.localized);
  const setLanguage = (language: string, messages: string[]) =>
    onChange({ ...value, localized: { ...value.localized, [language]: { messages } } });
  const offered = LANGUAGES.filter((language) => !languages.includes(language));
  return (
    <Stack gap="sm">
      <Lines
        label={texts.label ?? `Phrases of ${name}`}
        description={
          texts.description ??
          "One per line, said in this order. Used for languages without phrases of their own."
        }
        value={value.messages}
        onChange={(messages) => onChange({ ...value, messages })}
        error={errorOf("messages")}
      />
      {languages.map((language) => (
        <Group key={language} gap="xs" wrap="nowrap" align="flex-start">
          <div style={{ flex: 1 }}>
            <Lines
              label={`In ${languageName(language)} (${language})`}
              value={value.localized[language]?.messages ?? []}
              onChange={(messages) => setLanguage(language, messages)}
              error={errorOf(`localized.${language}.messages`)}
            />
          </div>
          {!readOnly && (
            <ActionIcon
              mt={24}
              aria-label={`Remove ${languageName(language)} from ${name}`}
              onClick={() =>
                onChange({
                  ...value,
                  localized: Object.fromEntries(
                    Object.entries(value.localized).filter(([tag]) => tag !== language),
                  ),
                })
              }
            >
              <IconTrash size={15} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!readOnly && (
        <Select
          w={220}
          size="xs"
          aria-label={`Language to add to ${name}`}
          placeholder="Add language"
          searchable
          data={offered.map((tag) => ({ value: tag, label: languageName(tag) }))}
          value={null}
          onChange={(tag) => tag !== null && setLanguage(tag, [])}
        />
      )}
    </Stack>
  );
}

function Lines(props: {
  label: string;
  description?: string;
  value: string[];
  onChange(lines: string[]): void;
  error: ReactNode;
}) {
  const { value, onChange, ...rest } = props;
  return (
    <Textarea
      {...rest}
      autosize
      minRows={2}
      value={value.join("\n")}
      // Empty lines stay while typing; they are removed when the form is sent.
      onChange={({ currentTarget }) => {
        const { value: text } = currentTarget;
        onChange(text === "" ? [] : text.split("\n"));
      }}
    />
  );
}

const names = new Intl.DisplayNames(["en"], { type: "language" });
function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** A tool with phrases of its own. */
export function ToolPhrases(props: {
  tool: string;
  value: PhraseSet;
  onChange(value: PhraseSet): void;
  onRemove(): void;
  errorOf(path: string): ReactNode;
  readOnly: boolean;
}) {
  const { tool, onRemove, ...rest } = props;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={550} size="sm">
          While <code>{tool}</code> runs
        </Text>
        {!rest.readOnly && (
          <Button size="compact-sm" variant="subtle" leftSection={<IconTrash size={14} />} onClick={onRemove}>
            Take {tool} out
          </Button>
        )}
      </Group>
      <PhraseFields name={tool} {...rest} />
    </Stack>
  );
}

/** A tool that gets phrases of its own, searched on the server. */
export function AddTool({ taken, onAdd }: { taken: string[]; onAdd(tool: string): void }) {
  const [text, setText] = useState("");
  const [searched] = useDebouncedValue(text.trim(), TYPING_MS);
  const tools = useQuery({
    queryKey: ["GET /api/v1/tools/", "names", searched],
    enabled: useMay()("tools_read"),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => findTools(searched, signal),
  });
  return (
    <Select
      w={280}
      size="xs"
      aria-label="Tool-specific phrases"
      placeholder="Phrases for a tool"
      leftSection={<IconPlus size={14} />}
      searchable
      data={(tools.data ?? []).filter(({ value }) => !taken.includes(value))}
      // The server has looked already.
      filter={({ options }) => options}
      value={null}
      onSearchChange={setText}
      onChange={(tool) => tool !== null && onAdd(tool)}
      nothingFoundMessage={tools.isFetching ? "Looking…" : "No tool by that name"}
    />
  );
}
