import { queryOptions, useQuery } from "@tanstack/react-query";
import { callConsole } from "./api.ts";
import { showPerson } from "./shown-person.ts";

export type Me = {
  user_id: number;
  email: string;
  permissions: string[];
  organization_id: number;
  sub_organization_id: number;
  /** Nothing but setting one up is allowed before that. */
  needs_second_factor: boolean;
};

export const meQuery = queryOptions({
  queryKey: ["me"],
  async queryFn() {
    const me = (await callConsole("/api/console/me")) as Me;
    showPerson(me.user_id);
    return me;
  },
  staleTime: 5 * 60_000,
});

/** Who is signed in. Use it below the shell only, which waits until this is loaded. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error("useMe stands outside of the shell");
  return data;
}

/** Whether the signed-in person has the permission. It only hides controls; the server checks again. */
export function useMay(): (permission: string) => boolean {
  const { permissions } = useMe();
  return (permission) => permissions.includes(permission);
}
