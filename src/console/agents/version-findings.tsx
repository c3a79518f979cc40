import { Alert } from "@mantine/core";
import type { AgentFinding } from "../api-types.ts";

/** What is doubtful about a draft or a version, part by part; nothing where nothing is. */
export function FindingsAlert({ findings }: { findings: readonly AgentFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <Alert color="yellow" title="Check this">
      {findings.map(({ part, path, message }) => (
        <div key={`${part} ${path} ${message}`}>
          {part === "instructions" ? "Instructions" : `Tool ${part}`}: {message}
        </div>
      ))}
    </Alert>
  );
}
