import { Grid, NumberInput, Select, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { TelephonyConfigurations } from "../api-types.ts";
import { type FieldLabels, worded } from "../server/field-labels.ts";

type Telephony = TelephonyConfigurations;
type NumberName =
  | "pre_input_timeout"
  | "post_speech_input_timeout"
  | "post_dtmf_input_timeout"
  | "overall_input_timeout"
  | "output_padding"
  | "passive_input_start";
type SwitchName =
  | "async_enabled"
  | "passive_speech_input_enabled"
  | "transfer_leg_voicemail_detection_enabled";

/** Ranges and defaults of the API, in seconds. */
const SECONDS: { name: NumberName; label: string; about: string; min: number; max: number; usual: number }[] =
  [
    {
      name: "pre_input_timeout",
      label: "Reprompt after silence",
      about: "Counted from the end of the agent's words. 0: never.",
      min: 0,
      max: 10,
      usual: 4,
    },
    {
      name: "post_speech_input_timeout",
      label: "End-of-speech silence",
      about: "Longer for callers who pause. When set, it applies every time.",
      min: 0,
      max: 10,
      usual: 0.9,
    },
    {
      name: "post_dtmf_input_timeout",
      label: "Keypad timeout",
      about: "Wait after the last key. 0: every key is an input of its own.",
      min: 0,
      max: 10,
      usual: 2,
    },
    {
      name: "overall_input_timeout",
      label: "Input timeout",
      about: "Words heard by then become the input; otherwise it counts as silence. 0: no limit.",
      min: 0,
      max: 300,
      usual: 30,
    },
    {
      name: "output_padding",
      label: "Listening offset",
      about: "Relative to the end of the agent's words. Negative: earlier.",
      min: -5,
      max: 5,
      usual: 0,
    },
    {
      name: "passive_input_start",
      label: "Passive input from",
      about: "Time since the agent began to speak.",
      min: 0,
      max: 5,
      usual: 0.5,
    },
  ];

const SWITCHES: { name: SwitchName; label: string; about: string; usual: boolean }[] = [
  {
    name: "async_enabled",
    label: "Responsive",
    about: "Plays bridge phrases during waits and listens meanwhile.",
    usual: true,
  },
  {
    name: "passive_speech_input_enabled",
    label: "Keep speech over the agent",
    about: "Used after the agent finishes, if it was not interrupted.",
    usual: true,
  },
  {
    name: "transfer_leg_voicemail_detection_enabled",
    label: "Detect voicemail after a transfer",
    about: "Noted in the session.",
    usual: false,
  },
];

const INTERRUPTIBLE = [
  { value: "all", label: "speech and keys" },
  { value: "speech_only", label: "speech only" },
  { value: "dtmf_only", label: "keys only" },
  { value: "none", label: "nothing" },
];

export const TELEPHONY_LABELS: FieldLabels = {
  ...Object.fromEntries(SECONDS.map(({ name, label }) => [name, `${label} (s)`])),
  ...Object.fromEntries(SWITCHES.map(({ name, label }) => [name, label])),
  interruptibility: worded("Interrupted by", INTERRUPTIBLE),
  audio: "Speech processing",
};

/** Fields of a row stand side by side, however much is said about each. */
const ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

type Props = {
  value: Telephony;
  onChange(value: Telephony): void;
  errorOf(path: string): ReactNode;
  /** The carrier can send the audio itself. */
  streams: boolean;
};

/** Speech settings of a voice channel. Empty fields use the platform's default. */
export function TelephonyFields({ value, onChange, errorOf, streams }: Props) {
  const set = (part: Partial<Telephony>) => onChange({ ...value, ...part });
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600}>Listening and speaking</Text>
        <Text size="sm" c="dimmed">
          Empty fields use the platform's default, shown in grey. All times are in seconds.
        </Text>
      </div>
      <Grid gap="md">
        {SECONDS.map(({ name, label, about, min, max, usual }) => (
          <Grid.Col key={name} span={{ base: 12, sm: 6, lg: 4 }}>
            <NumberInput
              label={label}
              inputWrapperOrder={ORDER}
              description={`${about} From ${String(min).replace("-", "−")} to ${max}.`}
              placeholder={`${usual} s`}
              suffix=" s"
              step={0.1}
              decimalScale={2}
              value={value[name] ?? ""}
              onChange={(seconds) => set({ [name]: seconds === "" ? null : Number(seconds) })}
              error={errorOf(name)}
            />
          </Grid.Col>
        ))}
        <Grid.Col span={{ base: 12, sm: 6, lg: 4 }}>
          <Select
            label="Interrupted by"
            inputWrapperOrder={ORDER}
            description="What interrupts the agent while it speaks."
            placeholder="speech and keys"
            clearable
            clearButtonProps={{ "aria-label": "Clear what interrupts the agent" }}
            data={INTERRUPTIBLE}
            value={value.interruptibility ?? null}
            onChange={(chosen) => set({ interruptibility: chosen as Telephony["interruptibility"] })}
            error={errorOf("interruptibility")}
          />
        </Grid.Col>
        {streams && (
          <Grid.Col span={{ base: 12, sm: 6, lg: 4 }}>
            <Select
              label="Speech processing"
              inputWrapperOrder={ORDER}
              description="Parley: Twilio sends the call's audio, and this machine hears and speaks."
              placeholder="Twilio"
              clearable
              clearButtonProps={{ "aria-label": "Clear the speech processing" }}
              data={[
                { value: "relay", label: "Twilio" },
                { value: "stream", label: "Parley" },
              ]}
              value={value.audio ?? null}
              onChange={(chosen) => set({ audio: chosen as Telephony["audio"] })}
              error={errorOf("audio")}
            />
          </Grid.Col>
        )}
        {SWITCHES.map(({ name, label, about, usual }) => (
          <Grid.Col key={name} span={{ base: 12, sm: 6, lg: 4 }}>
            <Select
              label={label}
              inputWrapperOrder={ORDER}
              description={about}
              placeholder={usual ? "yes" : "no"}
              clearable
              clearButtonProps={{ "aria-label": `Clear ${label}` }}
              data={[
                { value: "yes", label: "yes" },
                { value: "no", label: "no" },
              ]}
              value={value[name] === true ? "yes" : value[name] === false ? "no" : null}
              onChange={(chosen) => set({ [name]: chosen === null ? null : chosen === "yes" })}
              error={errorOf(name)}
            />
          </Grid.Col>
        ))}
      </Grid>
    </Stack>
  );
}
