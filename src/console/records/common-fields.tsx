import { Textarea, TextInput } from "@mantine/core";
import type { FieldsForm } from "./record-form.tsx";

/** What nearly every record begins with. */
export function NameFields<Values extends { name: string; description: string }>({
  form,
}: {
  form: FieldsForm<Values>;
}) {
  return (
    <>
      <TextInput label="Name" required {...form.getInputProps("name")} />
      <Textarea label="Description" autosize minRows={1} {...form.getInputProps("description")} />
    </>
  );
}

/** What changed, in the author's words; a new record has nothing to say. */
export function VersionNote<Values extends { edit_comments: string }>(props: {
  form: FieldsForm<Values>;
  record: object | null;
}) {
  return props.record && <TextInput label="Version note" {...props.form.getInputProps("edit_comments")} />;
}
