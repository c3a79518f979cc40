import { Group, NumberInput, Select, Switch, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { ContactCap, ContactHoliday, ContactHours, StoredOutreachRules } from "../api-types.ts";
import { NumberField } from "../parts/number-field.tsx";
import type { FieldsForm } from "../records/record-form.tsx";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { CHANNELS, DAYS, HolidayRow, HoursRow, PURPOSES } from "./hours-rows.tsx";
import classes from "./outreach-rules.module.css";
import { RemoveRow, type RowProps, Rows } from "./rule-rows.tsx";

const KEY = ["outreach-rules"];
type Values = Pick<
  StoredOutreachRules,
  "person_clock" | "contact_hours" | "holidays" | "caps" | "days_after_conversation"
>;

const read = () => call("GET /api/v1/outbound/rules", {});

const CAPPED = [...CHANNELS, { value: "any", label: "All together" }];

/** When and how often people may be contacted, over all campaigns of the organization. */
export function OutreachRulesPanel() {
  return (
    <SettingsPanel<StoredOutreachRules, Values>
      title="Contact rules"
      noun="Contact rules"
      queryKey={KEY}
      read={read}
      permission="organizations_write"
      labels={{
        person_clock: "Each person's own clock",
        contact_hours: "Contact hours",
        "contact_hours.*.channel": worded("Channel", CHANNELS),
        "contact_hours.*.purpose": worded("Purpose", PURPOSES),
        "contact_hours.*.days": worded("Days", DAYS),
        holidays: "Holidays",
        "holidays.*.channel": worded("Channel", CHANNELS),
        "holidays.*.purpose": worded("Purpose", PURPOSES),
        caps: "Caps",
        "caps.*.channel": worded("Channel", CAPPED),
        days_after_conversation: "Rest after a conversation",
      }}
      values={(found) => ({
        person_clock: found.person_clock ?? false,
        contact_hours: found.contact_hours ?? [],
        holidays: found.holidays ?? [],
        caps: found.caps ?? [],
        days_after_conversation: found.days_after_conversation ?? null,
      })}
      save={(body) => call("PUT /api/v1/outbound/rules", { body })}
    >
      {(form) => <RulesFields form={form} />}
    </SettingsPanel>
  );
}

function RulesFields({ form }: { form: FieldsForm<Values> }) {
  const { person_clock, contact_hours, holidays, caps, days_after_conversation } = form.getValues();
  const errorOf = (path: string): ReactNode => form.errors[path];
  const setHours = (rows: ContactHours[]) => form.setFieldValue("contact_hours", rows);
  const setHolidays = (rows: ContactHoliday[]) => form.setFieldValue("holidays", rows);
  const setCaps = (rows: ContactCap[]) => form.setFieldValue("caps", rows);
  return (
    <>
      <Switch
        label="Each person's own clock"
        description="People are contacted only within the contact hours where they live: by the request's timezone column, their contact, else their number. Off: the campaign's window alone decides."
        checked={person_clock}
        onChange={({ currentTarget }) => form.setFieldValue("person_clock", currentTarget.checked)}
      />
      {person_clock && (
        <Rows
          title="Contact hours"
          about="* is everybody, US a country, US-FL a state. All that apply to a person must be open. A row for one purpose holds beside those for all."
          error={errorOf("contact_hours")}
          add="Add hours"
          onAdd={() =>
            setHours([
              ...contact_hours,
              {
                jurisdiction: "US",
                channel: "call",
                purpose: null,
                days: DAYS.map(({ value }) => value) as ContactHours["days"],
                from: "09:00",
                to: "20:00",
                source: null,
                checked_on: null,
              },
            ])
          }
        >
          {contact_hours.map((row, index) => (
            <HoursRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
              key={index}
              number={index + 1}
              row={row}
              onChange={(next) => setHours(contact_hours.with(index, next))}
              onRemove={() => setHours(contact_hours.toSpliced(index, 1))}
              errorOf={(field) => errorOf(`contact_hours.${index}.${field}`)}
            />
          ))}
        </Rows>
      )}
      {person_clock && (
        <Rows
          title="Holidays"
          about="Nobody is contacted on these days of their own calendar."
          error={errorOf("holidays")}
          add="Add holiday"
          onAdd={() =>
            setHolidays([
              ...holidays,
              { jurisdiction: "US", date: "", name: "", channel: null, purpose: null, source: null },
            ])
          }
        >
          {holidays.map((row, index) => (
            <HolidayRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
              key={index}
              number={index + 1}
              row={row}
              onChange={(next) => setHolidays(holidays.with(index, next))}
              onRemove={() => setHolidays(holidays.toSpliced(index, 1))}
              errorOf={(field) => errorOf(`holidays.${index}.${field}`)}
            />
          ))}
        </Rows>
      )}
      <Rows
        title="Caps"
        about="The most contacts with one number or address, over all campaigns."
        error={errorOf("caps")}
        add="Add cap"
        onAdd={() => setCaps([...caps, { channel: "call", attempts: 1, days: 1 }])}
      >
        {caps.map((row, index) => (
          <CapRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
            key={index}
            number={index + 1}
            row={row}
            onChange={(next) => setCaps(caps.with(index, next))}
            onRemove={() => setCaps(caps.toSpliced(index, 1))}
            errorOf={(field) => errorOf(`caps.${index}.${field}`)}
          />
        ))}
      </Rows>
      <NumberInput
        label="Rest after a conversation"
        description="Days without contact after a call that a person answered. Empty: none."
        min={1}
        max={90}
        allowDecimal={false}
        value={days_after_conversation ?? ""}
        onChange={(value) => form.setFieldValue("days_after_conversation", numberOrNull(value))}
        error={errorOf("days_after_conversation")}
      />
    </>
  );
}

function CapRow({ number, row, onChange, onRemove, errorOf }: RowProps<ContactCap>) {
  const name = `cap ${number}`;
  const numbers = { min: 1, allowDecimal: false, allowNegative: false } as const;
  return (
    <Group component="fieldset" gap="xs" className={classes.cap} aria-label={name}>
      <NumberField
        {...numbers}
        w={80}
        max={100}
        aria-label={`Contacts of ${name}`}
        value={row.attempts}
        onNumber={(attempts) => onChange({ ...row, attempts })}
        error={errorOf("attempts")}
      />
      <Select
        w={140}
        aria-label={`Channel of ${name}`}
        data={CAPPED}
        allowDeselect={false}
        value={row.channel}
        onChange={(channel) => onChange({ ...row, channel: channel as ContactCap["channel"] })}
        error={errorOf("channel")}
      />
      <Text size="sm">in</Text>
      <NumberField
        {...numbers}
        w={80}
        max={90}
        aria-label={`Days of ${name}`}
        value={row.days}
        onNumber={(days) => onChange({ ...row, days })}
        error={errorOf("days")}
      />
      <Text size="sm">{row.days === 1 ? "day" : "days"}</Text>
      <RemoveRow name={name} onRemove={onRemove} />
    </Group>
  );
}
