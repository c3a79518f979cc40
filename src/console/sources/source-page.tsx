import { Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { Panel } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields, VersionNote } from "../records/common-fields.tsx";
import { fieldsOf, optionalText, VERSION_NOTE } from "../records/record-fields.ts";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { CrawlView } from "./crawl-view.tsx";
import { DocumentsView } from "./documents-view.tsx";
import { TrySearch } from "./try-search.tsx";

const VIEWS = { text: "Text", files: "Files", site: "Web site", search: "Test search" };

export default recordPage({
  operations: {
    list: "GET /api/v1/data_sources/",
    read: "GET /api/v1/data_sources/{data_source_id}",
    create: "POST /api/v1/data_sources/",
    update: "PUT /api/v1/data_sources/",
    remove: "DELETE /api/v1/data_sources/{data_source_id}",
  },
  permission: "data_sources",
  noun: "Data source",
  queryKey: "data source",
  list: { to: "/sources", label: "Data sources" },
  newTitle: "New data source",
  title: "Data source",
  acrossViews: true,
  Around: ({ record, children }) => (
    <ViewTabs label="Views of the data source" views={VIEWS}>
      {(view) => {
        if (view === "files") return <DocumentsView data_source_id={record.id} />;
        if (view === "site") return <CrawlView data_source_id={record.id} />;
        if (view === "search") return <TrySearch data_source_id={record.id} />;
        return children;
      }}
    </ViewTabs>
  ),
  ...fieldsOf("PUT /api/v1/data_sources/", {
    name: { initial: "" },
    description: optionalText(),
    labels: { initial: [] },
    chunk: { initial: true, label: "Split into chunks" },
    chunk_delimiter: optionalText("Chunk separator"),
    text: { initial: "" },
    edit_comments: VERSION_NOTE,
  }),
  Form: ({ form, record, frame }) => (
    <Panel>
      <RecordFormFrame {...frame}>
        <NameFields form={form} />
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
          description={
            record ? undefined : "Empty, if you add files or a web site once the source is created."
          }
          autosize
          minRows={10}
          maxRows={40}
          {...form.getInputProps("text")}
        />
        <VersionNote form={form} record={record} />
      </RecordFormFrame>
    </Panel>
  ),
});
