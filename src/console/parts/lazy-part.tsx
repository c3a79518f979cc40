import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { ApiError } from "../server/api.ts";
import { loadCode, reloadOnceReached } from "../server/load-code.ts";
import { Failure, Loading } from "./parts.tsx";

type Code<Props> = { default: ComponentType<Props> };

/** A part whose code comes when it is first shown. Where it doesn't, its place says so, and what was typed around it stays. */
export function lazyPart<Props extends object>(
  name: string,
  load: () => Promise<Code<Props>>,
): ComponentType<Props> {
  return function Part(props: Props) {
    const { data, error } = useQuery({
      queryKey: ["code", name],
      queryFn: () => loadCode(load),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      structuralSharing: false,
    });
    if (data) return <data.default {...props} />;
    if (!error) return <Loading />;
    const told = error instanceof ApiError ? error : new Error("Parley was updated. Reload the page.");
    return <Failure error={told} retry={() => reloadOnceReached()} />;
  };
}
