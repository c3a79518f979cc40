import { MultiSelect, Select, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { ContactHoliday, ContactHours } from "../api-types.ts";
import classes from "./outreach-rules.module.css";
import { JurisdictionField, ReadOnField, RemoveRow, type RowProps, SourceField } from "./rule-rows.tsx";

export const CHANNELS = [
  { value: "call", label: "Calls" },
  { value: "text", label: "Texts" },
  { value: "email", label: "E-mails" },
];
export const PURPOSES = [
  { value: "marketing", label: "Marketing" },
  { value: "informational", label: "Information" },
  { value: "emergency", label: "Emergencies" },
];
export const DAYS = [
  { value: "mon", label: "Mon" },
  { value: "tue", label: "Tue" },
  { value: "wed", label: "Wed" },
  { value: "thu", label: "Thu" },
  { value: "fri", label: "Fri" },
  { value: "sat", label: "Sat" },
  { value: "sun", label: "Sun" },
];

export function HoursRow({ number, row, onChange, onRemove, errorOf }: RowProps<ContactHours>) {
  const name = `contact hours ${number}`;
  return (
    <fieldset className={classes.row} aria-label={name}>
      <JurisdictionField
        name={name}
        value={row.jurisdiction}
        onChange={(jurisdiction) => onChange({ ...row, jurisdiction })}
        error={errorOf("jurisdiction")}
      />
      <Select
        aria-label={`Channel of ${name}`}
        data={CHANNELS}
        allowDeselect={false}
        value={row.channel}
        onChange={(channel) => onChange({ ...row, channel: channel as ContactHours["channel"] })}
        error={errorOf("channel")}
      />
      <PurposeSelect
        name={name}
        value={row.purpose ?? null}
        onChange={(purpose) => onChange({ ...row, purpose })}
        error={errorOf("purpose")}
      />
      <MultiSelect
        className={classes.wide}
        aria-label={`Days of ${name}`}
        data={DAYS}
        value={row.days}
        onChange={(days) => onChange({ ...row, days: days as ContactHours["days"] })}
        error={errorOf("days")}
      />
      <TextInput
        aria-label={`Start of ${name}`}
        placeholder="08:00"
        value={row.from}
        onChange={({ currentTarget }) => onChange({ ...row, from: currentTarget.value })}
        error={errorOf("from")}
      />
      <TextInput
        aria-label={`End of ${name}`}
        placeholder="21:00"
        value={row.to}
        onChange={({ currentTarget }) => onChange({ ...row, to: currentTarget.value })}
        error={errorOf("to")}
      />
      <SourceField
        className={classes.wide}
        name={name}
        value={row.source}
        onChange={(source) => onChange({ ...row, source })}
        error={errorOf("source")}
      />
      <ReadOnField
        name={name}
        value={row.checked_on}
        onChange={(checked_on) => onChange({ ...row, checked_on })}
        error={errorOf("checked_on")}
      />
      <RemoveRow name={name} onRemove={onRemove} />
    </fieldset>
  );
}

function PurposeSelect(props: {
  name: string;
  value: ContactHours["purpose"];
  onChange(purpose: ContactHours["purpose"]): void;
  error: ReactNode;
}) {
  const { name, value, onChange, error } = props;
  return (
    <Select
      aria-label={`Purpose of ${name}`}
      placeholder="All purposes"
      data={PURPOSES}
      clearable
      value={value ?? null}
      onChange={(purpose) => onChange(purpose as ContactHours["purpose"])}
      error={error}
    />
  );
}

export function HolidayRow({ number, row, onChange, onRemove, errorOf }: RowProps<ContactHoliday>) {
  const name = `holiday ${number}`;
  return (
    <fieldset className={classes.holiday} aria-label={name}>
      <JurisdictionField
        name={name}
        value={row.jurisdiction}
        onChange={(jurisdiction) => onChange({ ...row, jurisdiction })}
        error={errorOf("jurisdiction")}
      />
      <TextInput
        aria-label={`Date of ${name}`}
        placeholder="2026-12-25"
        value={row.date}
        onChange={({ currentTarget }) => onChange({ ...row, date: currentTarget.value })}
        error={errorOf("date")}
      />
      <TextInput
        aria-label={`Name of ${name}`}
        placeholder="Name"
        value={row.name}
        onChange={({ currentTarget }) => onChange({ ...row, name: currentTarget.value })}
        error={errorOf("name")}
      />
      <Select
        aria-label={`Channel of ${name}`}
        placeholder="All channels"
        data={CHANNELS}
        clearable
        value={row.channel ?? null}
        onChange={(channel) => onChange({ ...row, channel: channel as ContactHoliday["channel"] })}
        error={errorOf("channel")}
      />
      <PurposeSelect
        name={name}
        value={row.purpose ?? null}
        onChange={(purpose) => onChange({ ...row, purpose })}
        error={errorOf("purpose")}
      />
      <SourceField
        name={name}
        value={row.source}
        onChange={(source) => onChange({ ...row, source })}
        error={errorOf("source")}
      />
      <RemoveRow name={name} onRemove={onRemove} />
    </fieldset>
  );
}
