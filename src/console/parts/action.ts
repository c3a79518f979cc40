import { hashKey, type UseMutationOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useId, useRef } from "react";
import { showLateFailure } from "./show-failure.ts";

/**
 * What a button or a form sends. The same is not sent twice while its answer is awaited: a button shows that it waits a
 * moment later, and a second click or Enter comes in between. The caller shows a failure, by `error` or `onError`; whoever
 * has left the page meanwhile gets a notice.
 */
export function useAction<Answer, Given = void>(options: UseMutationOptions<Answer, Error, Given>) {
  const client = useQueryClient();
  const id = useId();
  const isShown = useIsShown();
  const action = useMutation({
    ...options,
    mutationKey: [id],
    onError: (...failure) => (isShown.current ? options.onError?.(...failure) : showLateFailure(failure[0])),
  });
  const send = action.mutate;
  const mutate = useCallback(
    (...given: Parameters<typeof send>) => {
      const sent = hashKey([given[0]]);
      const isSame = (state: { variables: unknown }) => hashKey([state.variables]) === sent;
      if (client.isMutating({ mutationKey: [id], predicate: ({ state }) => isSame(state) }) === 0)
        send(...given);
    },
    [client, id, send],
  );
  return { ...action, mutate };
}

function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
