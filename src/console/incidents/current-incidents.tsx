import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import { COURSES, courseOf, current } from "./incident-words.ts";

const REFRESH_MS = 30_000;
/** Only the incidents that end last are shown: nobody reads a longer list. */
const LATEST = 20;

/** What disturbs the installation now, or soon will; nothing where nothing does. */
export function CurrentIncidents() {
  const incidents = useQuery({
    queryKey: ["GET /api/v1/incidents/", "current"],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      call("GET /api/v1/incidents/", {
        query: { order_by: "resolution_datetime", order_by_direction: "desc", limit: LATEST },
        signal,
      }),
  });
  const now_ms = Date.now();
  return current(incidents.data?.items ?? [], now_ms).map((incident) => {
    const course = courseOf(incident, now_ms);
    const isNow = course === "now";
    return (
      <Alert
        key={incident.id}
        color={isNow ? "yellow" : "ink"}
        icon={isNow ? <IconAlertTriangle /> : <IconInfoCircle />}
        title={
          <RouteLink to={`/incidents/${incident.id}`} c="inherit" underline="always">
            <bdi>{incident.description || `Incident ${incident.id}`}</bdi>
          </RouteLink>
        }
      >
        <Text size="sm" component="div">
          {COURSES[course].word}, impact: <bdi>{incident.impact_category}</bdi>;{" "}
          {isNow ? (
            <>
              since <Time at={incident.start_datetime} kind="minute" />, expected to be over{" "}
              <Time at={incident.resolution_datetime} kind="minute" />
            </>
          ) : (
            <>
              from <Time at={incident.start_datetime} kind="minute" /> until{" "}
              <Time at={incident.resolution_datetime} kind="minute" />
            </>
          )}
        </Text>
      </Alert>
    );
  });
}
