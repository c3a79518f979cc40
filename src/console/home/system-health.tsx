import { useQuery } from "@tanstack/react-query";
import { Facts, Fetched, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { callConsole } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const REFRESH_MS = 10_000;

/** Whether the program and its database answer, and how quickly. */
export function SystemHealth() {
  const may = useMay();
  const health = useQuery({
    queryKey: ["health"],
    refetchInterval: REFRESH_MS,
    async queryFn() {
      const program = (await callConsole("/healthz")) as { version: string };
      const begun = performance.now();
      const ready = await callConsole("/readyz").then(
        () => true,
        () => false,
      );
      return { version: program.version, ready, ms: performance.now() - begun };
    },
  });
  return (
    <Panel
      title="Health"
      actions={
        may("incidents_read") && (
          <RouteLink to="/incidents" size="sm">
            Incidents
          </RouteLink>
        )
      }
    >
      <Fetched query={health} lines={4}>
        {({ version, ready, ms }) => (
          <Facts
            items={[
              [
                "Program",
                <Status key="program" tone="good">
                  Version {version}
                </Status>,
              ],
              [
                "Database",
                ready ? (
                  <Status key="database" tone="good">
                    OK, {Math.max(1, Math.round(ms))} ms
                  </Status>
                ) : (
                  <Status key="database" tone="bad">
                    Not responding
                  </Status>
                ),
              ],
            ]}
          />
        )}
      </Fetched>
    </Panel>
  );
}
