import { Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useZone } from "../time/zone.ts";
import { pageQuery, paramsIn, sessionAddress } from "./session-search.ts";

/** The sessions before and after this one in the list that it was found in; `search` is that list's address. */
export function FoundNeighbours({ id, search }: { id: string; search: string }) {
  const zone = useZone();
  const params = paramsIn(search);
  const page = Math.max(1, Number(params.page) || 1);
  const found = useQuery({
    queryKey: ["found neighbours", id, search, zone],
    async queryFn({ signal }) {
      const idsOf = async (number: number): Promise<string[]> => {
        if (number < 1) return [];
        const query = { ...pageQuery(params, zone, number), fields: ["session_id" as const] };
        const { items } = await call("GET /api/v1/sessions/search", { query: query as never, signal });
        return items.flatMap(({ session_id }) => (session_id ? [session_id] : []));
      };
      const here = await idsOf(page);
      const at = here.indexOf(id);
      const previous = at > 0 ? null : await idsOf(page - 1);
      const next = at >= 0 && at < here.length - 1 ? null : await idsOf(page + 1);
      if (at < 0) return { previous: null, next: null };
      return {
        previous: previous ? linkTo(previous.at(-1), page - 1) : linkTo(here[at - 1], page),
        next: next ? linkTo(next[0], page + 1) : linkTo(here[at + 1], page),
      };
    },
  });
  const linkTo = (session_id: string | undefined, number: number): string | null =>
    session_id === undefined
      ? null
      : sessionAddress(session_id, {
          ...params,
          ...(number > 1 || params.page ? { page: String(number) } : {}),
        });
  return (
    <>
      <Neighbour to={found.data?.previous} sign={<IconChevronLeft size={15} />}>
        Previous
      </Neighbour>
      <Neighbour to={found.data?.next} sign={<IconChevronRight size={15} />}>
        Next
      </Neighbour>
    </>
  );
}

function Neighbour(props: { to: string | null | undefined; sign: ReactNode; children: string }) {
  const { to, sign, children } = props;
  if (to)
    return (
      <LinkButton to={to} variant="default" leftSection={sign}>
        {children}
      </LinkButton>
    );
  return (
    <Button variant="default" leftSection={sign} disabled>
      {children}
    </Button>
  );
}
