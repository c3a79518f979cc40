import classes from "./waveform.module.css";

const HALF = 24;

/** How loud both sides were, the caller above and the agent below. Clicking seeks. */
export function Waveform(props: {
  caller: number[];
  agent: number[];
  duration_ms: number;
  /** Seconds; where the player stands. */
  at: number | null;
  onSeek(seconds: number): void;
}) {
  const { caller, agent, duration_ms, at, onSeek } = props;
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
        aria-label="Loudness of the call: the caller above, the agent below"
        onClick={({ currentTarget, clientX }) => {
          const { left, width: shown } = currentTarget.getBoundingClientRect();
          seekTo((clientX - left) / shown);
        }}
      >
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
    </figure>
  );
}

/** A bar for each stretch, from the middle upwards (-1) or downwards (1). */
const bars = (loudness: number[], way: -1 | 1): string =>
  loudness
    .map((loud, column) => (loud === 0 ? "" : `M${column + 0.5} ${HALF}V${HALF + (way * loud * HALF) / 100}`))
    .join("");
