import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Fetched, Panel } from "../parts/parts.tsx";
import type { FieldLabels } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { type FieldsForm, useRecordForm } from "./record-form.tsx";
import { RecordFormFrame } from "./record-form-frame.tsx";

type Options<Settings extends object, Values extends object> = {
  title: string;
  /** What the notice says: "Access rules saved". */
  noun: string;
  queryKey: readonly unknown[];
  read(): Promise<Settings>;
  save(values: Values): Promise<Settings>;
  /** What the form holds of them. */
  values(settings: Settings): Values;
  labels: FieldLabels;
  /** Who may change them; everybody else reads. */
  permission: string;
  /** Queries that show what was changed, besides. */
  invalidates?: readonly (readonly unknown[])[];
  actions?: ReactNode;
  /** What the button says, where other forms stand on the page. */
  verb?: string;
  children(form: FieldsForm<Values>, settings: Settings): ReactNode;
};

/** Settings that are always there: read, changed in a form, reviewed and saved. */
export function SettingsPanel<Settings extends object, Values extends object>(
  options: Options<Settings, Values>,
) {
  const { title, queryKey, read, actions } = options;
  const settings = useQuery({ queryKey, queryFn: read });
  return (
    <Panel title={title} actions={actions}>
      <Fetched query={settings}>{(found) => <SettingsForm options={options} settings={found} />}</Fetched>
    </Panel>
  );
}

function SettingsForm<Settings extends object, Values extends object>(props: {
  options: Options<Settings, Values>;
  settings: Settings;
}) {
  const { options, settings } = props;
  const {
    noun,
    queryKey,
    read,
    save,
    values,
    labels,
    permission,
    invalidates = [],
    verb,
    children,
  } = options;
  const may = useMay();
  const record = useRecordForm<Settings, Values>({
    noun,
    labels,
    record: settings,
    values: (found) => values(found ?? settings),
    save,
    reread: read,
    invalidates: [queryKey, ...invalidates],
    onSaved: () => {},
  });
  const { updated_at, updated_by } = settings as { updated_at?: string | null; updated_by?: string | null };
  return (
    <RecordFormFrame form={record} readOnly={!may(permission)} {...(verb !== undefined && { verb })}>
      {updated_at && (
        <Text size="sm" c="dimmed">
          Updated <Time at={updated_at} /> by <bdi>{updated_by}</bdi>
        </Text>
      )}
      {children(record.fields, settings)}
    </RecordFormFrame>
  );
}

/** Of a field for a number that may be empty. */
export const numberOrNull = (value: string | number): number | null => (value === "" ? null : Number(value));
