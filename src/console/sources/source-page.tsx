import { Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { DataSourceDetailResponse } from "../api-types.ts";
import { Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

type Values = {
  name: string;
  description: string;
  labels: string[];
  chunk: boolean;
  chunk_delimiter: string;
  text: string;
  edit_comments: string;
};

const NEW: Values = {
  name: "",
  description: "",
  labels: [],
  chunk: true,
  chunk_delimiter: "",
  text: "",
  edit_comments: "",
};

const read = (id: string) =>
  call("GET /api/v1/data_sources/{data_source_id}", { path: { data_source_id: Number(id) } });

export default function SourcePage() {
  return (
    <RecordPage
      queryKey="data source"
      newTitle="New data source"
      title="Data source"
      back={{ to: "/sources", label: "Data sources" }}
      read={read}
    >
      {(id, found) => <SourceForm key={id} id={id} source={found} />}
    </RecordPage>
  );
}

function SourceForm({ id, source }: { id: string; source: DataSourceDetailResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<DataSourceDetailResponse, Values>({
    noun: "Data source",
    labels: {
      chunk: "Split into chunks",
      chunk_delimiter: "Chunk separator",
      edit_comments: "Version note",
    },
    record: source,
    values: (found) => (found ? valuesOf(found) : NEW),
    save({ edit_comments, ...values }) {
      const body = {
        ...values,
        description: values.description || null,
        chunk_delimiter: values.chunk_delimiter || null,
      };
      return source
        ? call("PUT /api/v1/data_sources/", {
            body: { ...body, id: source.id, edit_comments: edit_comments || null },
          })
        : call("POST /api/v1/data_sources/", { body });
    },
    reread: () => read(id),
    invalidates: [["data source"], ["GET /api/v1/data_sources/"]],
    onSaved: (stored) => {
      if (source === null) void navigate({ to: `/sources/${stored.id}` });
    },
  });
  const { form } = record;
  return (
    <Panel>
      <RecordFormFrame
        form={record}
        readOnly={!may("data_sources_write")}
        extra={
          source &&
          may("data_sources_delete") && (
            <RemoveRecord
              noun="data source"
              name={source.name}
              remove={(reason) =>
                call("DELETE /api/v1/data_sources/{data_source_id}", {
                  path: { data_source_id: source.id },
                  query: { reason },
                })
              }
              invalidates={[["GET /api/v1/data_sources/"]]}
              onRemoved={() => void navigate({ to: "/sources", ignoreBlocker: true })}
            />
          )
        }
      >
        <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
        <Textarea
          label="Description"
          dir="auto"
          autosize
          minRows={1}
          {...form.getInputProps("description")}
        />
        <TagsInput
          label="Labels"
          description="Search tools can select sources by label."
          {...form.getInputProps("labels")}
        />
        <Switch
          label="Split into chunks"
          description="Short texts are always passed as a whole."
          {...form.getInputProps("chunk", { type: "checkbox" })}
        />
        {form.getValues().chunk && (
          <TextInput
            label="Chunk separator"
            placeholder="empty lines"
            {...form.getInputProps("chunk_delimiter")}
          />
        )}
        <Textarea
          label="Text"
          dir="auto"
          autosize
          minRows={10}
          maxRows={40}
          {...form.getInputProps("text")}
        />
        {source && <TextInput label="Version note" dir="auto" {...form.getInputProps("edit_comments")} />}
      </RecordFormFrame>
    </Panel>
  );
}

const valuesOf = (source: DataSourceDetailResponse): Values => ({
  name: source.name,
  description: source.description ?? "",
  labels: source.labels,
  chunk: source.chunk,
  chunk_delimiter: source.chunk_delimiter ?? "",
  text: source.text,
  edit_comments: "",
});
