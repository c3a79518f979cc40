import { Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { Expression, PlayEvent, PlayedEvent } from "../api-types.ts";
import { shortened } from "../parts/shortened.ts";
import { conditionWords } from "../workflows/condition.ts";
import classes from "./studio.module.css";

/** What was said and done, event by event. What a model would put in its own words stands as its instruction. */
export function PlayTalk({
  events,
  played,
}: {
  events: readonly PlayEvent[];
  played: readonly PlayedEvent[];
}) {
  const end = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolled whenever the conversation grows
  useEffect(() => {
    const log = end.current;
    if (log) log.scrollTop = log.scrollHeight;
  }, [played.length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section ref={end} className={classes.talk} aria-label="Played conversation" tabIndex={0}>
      {played.map((each, index) => {
        // Gone already where one was taken back, and what is played without it is not read yet.
        const event = events[index];
        // biome-ignore lint/suspicious/noArrayIndexKey: events stand in the order they were given
        return event && <Happened key={index} event={event} played={each} />;
      })}
    </section>
  );
}

function Happened({ event, played }: { event: PlayEvent; played: PlayedEvent }) {
  const answer = answerWords(event);
  return (
    <>
      {event.type === "submit" && (
        <div className={classes.said} data-by="person" dir="auto">
          {answer}
        </div>
      )}
      {event.type !== "submit" && answer && <div className={classes.line}>{answer}</div>}
      {played.trace.flatMap(({ category, label, details }, index) => {
        // Why a call failed stands above already.
        const isTold = event.type === "called" && !!event.error && label.endsWith(event.error);
        const words =
          label === "condition" ? guardWords(details ?? {}) : category === "note" && !isTold ? label : null;
        return words === null
          ? []
          : [
              // biome-ignore lint/suspicious/noArrayIndexKey: in the order it happened
              <div key={index} className={classes.line}>
                {words}
              </div>,
            ];
      })}
      {played.effects.map((effect, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: in the order it happened
        <Effect key={index} effect={effect} step={played.step} />
      ))}
    </>
  );
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const listed = (values: Record<string, unknown>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${value === true ? "yes" : value === false ? "no" : shown(value)}`)
    .join("; ");

function answerWords(event: PlayEvent): string | null {
  if (event.type === "submit") return listed(event.arguments) || "(continues)";
  if (event.type === "called")
    return event.error
      ? `The tool failed: ${event.error}`
      : // The variables say what was kept of it.
        `The tool answered ${shortened(shown(event.result), 160)}`;
  return event.type === "go_to_step" ? `Jumped to ${event.step_id}` : null;
}

const guardWords = ({ condition, holds }: Record<string, unknown>): string =>
  `${conditionWords(condition as Expression)}: ${holds ? "holds" : "does not hold"}`;

type Reply = {
  goal?: string;
  instructions?: string[];
  errors?: { message: string }[];
  message?: string;
  status?: string;
  say?: string[];
};

function Effect({ effect, step }: { effect: Record<string, unknown>; step: string | null }) {
  if (effect.type === "say")
    return (
      <div className={classes.said} data-by="agent" dir="auto">
        {shown(effect.text)}
      </div>
    );
  if (effect.type === "hear")
    return (
      <div className={classes.said} data-by="person" dir="auto">
        {shown(effect.text)}
      </div>
    );
  if (effect.type === "call")
    return (
      <div className={classes.line}>
        Calls <b>{shown(effect.tool)}</b> {listed((effect.arguments ?? {}) as Record<string, unknown>)}
      </div>
    );
  const reply = (effect.result ?? {}) as Reply;
  const faults = reply.errors?.map(({ message }) => message) ?? (reply.message ? [reply.message] : []);
  if (reply.status === "completed") return <div className={classes.line}>The workflow is completed.</div>;
  return (
    <div className={classes.said} data-by="step" dir="auto">
      <Text size="xs" c="dimmed">
        {step ? `Agent, in ${step}` : "Agent"}
      </Text>
      {faults.map((fault) => (
        <div key={fault} style={{ color: "var(--mantine-color-error)" }}>
          {fault}
        </div>
      ))}
      {(reply.instructions?.length ? reply.instructions : [reply.goal ?? ""]).map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}
