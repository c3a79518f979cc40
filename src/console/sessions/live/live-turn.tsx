import { Loader, Text } from "@mantine/core";
import { IconAlertTriangle, IconTool } from "@tabler/icons-react";
import { formatDuration } from "../../parts/duration.ts";
import classes from "../turn-view.module.css";
import { Said } from "../turn-view.tsx";
import type { LivePart } from "./live-parts.ts";

/** A turn while it runs: words as they are written, and tool calls as they are made. `TurnView` takes its place. */
export function LiveTurn(props: {
  title: string;
  said: string;
  parts: readonly LivePart[];
  isOver: boolean | null;
}) {
  // null: a call, on which nobody types.
  const { title, said, parts, isOver } = props;
  const last = parts.at(-1);
  const isSilent = last === undefined || (last.kind === "tool" && last.duration_ms !== null);
  return (
    <section className={classes.turn} aria-label={title}>
      <div className={classes.head}>
        <span>{title}</span>
      </div>
      {said !== "" && <Said source="user">{said}</Said>}
      {parts.map((part) =>
        part.kind === "tool" ? (
          <div key={part.id} className={classes.call}>
            <div className={classes.callHead}>
              {part.duration_ms === null ? (
                <Loader size={14} aria-label="Running" />
              ) : (
                <IconTool size={14} aria-hidden />
              )}
              <b>{part.name}</b>
              {part.error !== null && (
                <span className={classes.fault}>
                  <IconAlertTriangle size={13} aria-hidden /> failed
                </span>
              )}
              <span className={classes.took}>
                {part.duration_ms === null ? "running" : formatDuration(part.duration_ms)}
              </span>
            </div>
          </div>
        ) : (
          <Said key={part.id} source={part.source}>
            {part.text}
          </Said>
        ),
      )}
      {isOver === false && isSilent && (
        <Loader type="dots" size="sm" mt={6} aria-label="The agent is typing" />
      )}
      {isOver && (
        <Text size="xs" c="dimmed" mt={4}>
          Stopped
        </Text>
      )}
    </section>
  );
}
