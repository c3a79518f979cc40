import { Alert } from "@mantine/core";
import type { AgentFinding } from "../api-types.ts";
import { findingPlace } from "./version-words.ts";

/** What is doubtful about a draft or a version, part by part; nothing where nothing is. */
export function FindingsAlert({ findings }: { findings: readonly AgentFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <Alert color="yellow" title="Check this">
      {findings.map(({ part, path, message }) => (
        <div key={`${part} ${path} ${message}`}>
          {findingPlace({ part, path })}: {message}
        </div>
      ))}
    </Alert>
  );
}
