import { Button, Group, Tooltip } from "@mantine/core";
import type { CallMark } from "./call-marks.ts";
import classes from "./waveform.module.css";

const HALF = 24;

const SIGNS: Record<CallMark["kind"], string> = {
  "end-of-turn": "Turn ends",
  cut: "Cut",
  held: "Stops",
  "went-on": "Goes on",
};

/** How loud both sides were, the caller above and the agent below, and who decided what when. Clicking seeks. */
export function Waveform(props: {
  /** Which of the call's lines; 0 is the first. */
  line: number;
  caller: number[];
  agent: number[];
  duration_ms: number;
  marks: readonly CallMark[];
  /** Seconds; where the player stands. */
  at: number | null;
  onSeek(seconds: number): void;
}) {
  const { line, caller, agent, duration_ms, marks, at, onSeek } = props;
  const which = line === 0 ? "" : `, line ${line + 1}`;
  const columnOf = (ms: number) => (duration_ms > 0 ? (ms * caller.length) / duration_ms : 0);
  const width = caller.length;
  const seekTo = (share: number) => onSeek((share * duration_ms) / 1000);
  return (
    <figure className={classes.figure}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the player beside it seeks by keyboard */}
      <svg
        className={classes.picture}
        viewBox={`0 0 ${width} ${2 * HALF}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Loudness of the call${which}: the caller above, the agent below`}
        onClick={({ currentTarget, clientX }) => {
          const { left, width: shown } = currentTarget.getBoundingClientRect();
          seekTo((clientX - left) / shown);
        }}
      >
        {marks.map(({ kind, at_ms, since_ms, words }) => (
          <g key={`${kind}-${at_ms}`}>
            <title>{words}</title>
            {since_ms > 0 && (
              <rect
                className={classes.silence}
                x={columnOf(at_ms - since_ms)}
                width={columnOf(since_ms)}
                y={0}
                height={2 * HALF}
              />
            )}
            <line
              className={classes.mark}
              data-kind={kind}
              x1={columnOf(at_ms)}
              x2={columnOf(at_ms)}
              y1={0}
              y2={2 * HALF}
            />
          </g>
        ))}
        <path className={classes.caller} d={bars(caller, -1)} />
        <path className={classes.agent} d={bars(agent, 1)} />
        {at !== null && duration_ms > 0 && (
          <line
            className={classes.at}
            x1={(at * 1000 * width) / duration_ms}
            x2={(at * 1000 * width) / duration_ms}
            y1={0}
            y2={2 * HALF}
          />
        )}
      </svg>
      <figcaption className={classes.sides}>
        <span>Caller</span>
        <span>Agent</span>
      </figcaption>
      {marks.length > 0 && (
        <Group
          gap={4}
          className={classes.marks}
          component="ul"
          aria-label={`Turns and interruptions${which}`}
        >
          {marks.map(({ kind, at_ms, since_ms, words }) => (
            <li key={`${kind}-${at_ms}`}>
              <Tooltip label={words} multiline maw={320} withinPortal>
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => onSeek(Math.max(0, at_ms - since_ms) / 1000)}
                  aria-label={`${secondsOf(at_ms)}: ${words}`}
                >
                  {secondsOf(at_ms)} {SIGNS[kind]}
                </Button>
              </Tooltip>
            </li>
          ))}
        </Group>
      )}
    </figure>
  );
}

const secondsOf = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms % 60_000) / 1000)).padStart(2, "0")}`;

/** A bar for each stretch, from the middle upwards (-1) or downwards (1). */
const bars = (loudness: number[], way: -1 | 1): string =>
  loudness
    .map((loud, column) => (loud === 0 ? "" : `M${column + 0.5} ${HALF}V${HALF + (way * loud * HALF) / 100}`))
    .join("");
