import { Button, Group, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { RouteLink, Status } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";

/** What a gate says of a draft, what would tell, and the button that begins it. */
export function GateRow(props: {
  gate: { passes: boolean; says: string };
  /** What tells, where there is one. */
  run: { name: string; to: string } | null;
  /** How far a run is that was begun here; null: none is under way. */
  progress: string | null;
  /** Undefined where nothing can be run. */
  action?: string | undefined;
  onRun(): void;
}) {
  const { gate, run, progress, action, onRun } = props;
  const mayRun = useMay()("tests_run");
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="xs" style={{ flex: "1 1 20rem" }}>
        <Status tone={gate.passes ? "good" : "bad"}>{gate.passes ? "Passes" : "Blocks publishing"}</Status>
        <Text size="sm">{gate.says}</Text>
        {run && (
          <Text size="sm">
            <RouteLink to={run.to}>{run.name}</RouteLink>
          </Text>
        )}
      </Group>
      {progress !== null && (
        <Text size="sm" role="status">
          {progress}
        </Text>
      )}
      {action !== undefined && mayRun && !gate.passes && progress === null && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlayerPlay size={14} />}
          onClick={onRun}
        >
          {action}
        </Button>
      )}
    </Group>
  );
}
