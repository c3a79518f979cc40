import { RouteLink } from "../parts/parts.tsx";

const MOST = 20;

type Props = {
  agents: readonly { id: number; name: string }[];
  /** How many there are, where not all of them were read. */
  total?: number | null | undefined;
  /** The list of all of them. */
  all?: string;
};

/** The agents that use a record, each a link; of hundreds the first ones, so that what stands below stays in sight. */
export function AgentLinks({ agents, total, all }: Props) {
  const shown = agents.slice(0, MOST);
  const more = (total ?? agents.length) - shown.length;
  return (
    <>
      {shown.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <RouteLink to={`/agents/${id}`}>{name}</RouteLink>
        </span>
      ))}
      {more > 0 && " and "}
      {more > 0 && (all ? <RouteLink to={all}>{moreOf(more)}</RouteLink> : moreOf(more))}
    </>
  );
}

const moreOf = (count: number): string => `${count.toLocaleString("en")} more`;
