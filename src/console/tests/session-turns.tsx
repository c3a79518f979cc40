import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fetched, RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { TurnView } from "../sessions/turn-view.tsx";
import { turnsOf } from "../sessions/turns.ts";

/** What was said and called in a session, as it stands beside another. */
export function SessionTurns(props: { session_id: number | null; among: string; absent: string }) {
  const { session_id, among, absent } = props;
  const story = useQuery({
    queryKey: ["session", String(session_id), "pair"],
    enabled: session_id !== null,
    queryFn: async ({ signal }) => {
      const path = { session_id: String(session_id) };
      const { events } = await call("GET /api/v1/sessions/timeline/{session_id}", { path, signal });
      return turnsOf(events, []);
    },
  });
  if (session_id === null) return <Text size="sm">{absent}</Text>;
  return (
    <>
      <Fetched query={story}>
        {(turns) =>
          turns.map((turn) => (
            <TurnView
              key={turn.index}
              session_id={String(session_id)}
              turn={turn}
              among={among}
              showEngine={false}
            />
          ))
        }
      </Fetched>
      <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink>
    </>
  );
}
