import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";

/**
 * For what must not be sent twice: mutations with this key, and whether one of them still waits for its answer. It says so
 * at once; a button shows it a moment later, and a second click or Enter comes in between.
 */
export function useUnanswered(): { mutationKey: readonly [string]; isUnanswered(): boolean } {
  const client = useQueryClient();
  const mutationKey = [useId()] as const;
  return { mutationKey, isUnanswered: () => client.isMutating({ mutationKey }) > 0 };
}
