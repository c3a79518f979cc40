import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError, callForEvents } from "../../server/api.ts";
import { useMe } from "../../server/me.tsx";
import { type LivePart, withNews } from "../../sessions/live/live-parts.ts";
import { readStory, type Story } from "../../sessions/read-story.ts";
import { startFields, type TalkStart } from "./start-with.tsx";

/** The part of a test conversation's answer that this pane uses. */
type Content = { session_id: number; ended: boolean };
/** The turn that runs, and the last one that was stored before it. */
type Running = { said: string; parts: readonly LivePart[]; after: number; isOver: boolean };

/** So long is a stopped turn waited for, until it is stored. */
const STORED_MS = 300;
const LOOKS = 20;

/**
 * A test conversation with the saved draft: it reads the session, so Sessions shows the same later. `giveBack` gets the words
 * of a message that failed, so that nobody has to type them again.
 */
export function useTalk(agent_id: number, begin: TalkStart, giveBack: (words: string) => void) {
  const me = useMe();
  const client = useQueryClient();
  const [test_id, setTestId] = useState<string | null>(null);
  const [session, setSession] = useState<Content | null>(null);
  const [running, setRunning] = useState<Running | null>(null);
  const abort = useRef<AbortController | null>(null);
  /** The conversation that was begun last, and its session once it is known. */
  const latest = useRef<string | null>(null);
  const shown = useRef<number | null>(null);
  const stop = () => abort.current?.abort();
  // Leaving the page stops the answer, and what waits to be sent is not sent.
  useEffect(
    () => () => {
      latest.current = null;
      abort.current?.abort();
    },
    [],
  );

  const story = useQuery({ ...storyQuery(session?.session_id ?? 0), enabled: session !== null });
  const turns = session ? (story.data?.turns ?? []) : [];

  const say = useMutation({
    // A message sent while the agent answers waits for the answer.
    scope: { id: `talk ${agent_id}` },
    async mutationFn({ test, words, start }: { test: string; words: string; start: boolean }) {
      // It waited, and the conversation that it was meant for was left.
      if (latest.current !== test) return null;
      const own = new AbortController();
      abort.current = own;
      const known = client.getQueryData<Story>(storyQuery(shown.current ?? 0).queryKey);
      const after = start ? -1 : (known?.turns.at(-1)?.index ?? -1);
      const running: Running = { said: words, parts: [], after, isOver: false };
      setRunning(running);
      let content: Content | null = null;
      let failed: string | null = null;
      const body = {
        service_name: "console",
        source: begin.caller.trim() || me.email,
        ...startFields(begin),
        test_id: test,
        agent_id: String(agent_id),
        text: words,
        session_start: start,
      };
      const take = (event: string, data: unknown) => {
        if (event === "started") {
          const { session_id, greeting } = data as { session_id: number; greeting: string | null };
          shown.current = session_id;
          setSession({ session_id, ended: false });
          if (greeting !== null) take("message", { text: greeting });
        } else if (event === "answered") {
          content = (data as { response: { content: Content } }).response.content;
        } else if (event === "failed") failed = (data as { detail: string }).detail;
        else setRunning((now) => now && { ...now, parts: withNews(now.parts, { event, data }) });
      };
      try {
        await callForEvents("POST /api/v1/agents/test/messages", { body, signal: own.signal }, take);
      } catch (error) {
        if (!own.signal.aborted) throw error;
        setRunning((now) => now && { ...now, isOver: true });
        return { test, content: null, after };
      }
      if (failed !== null) throw new ApiError(500, failed);
      if (content === null)
        throw new ApiError(0, "The answer broke off. Say it again, or restart the conversation.");
      return { test, content: content as Content, after };
    },
    async onSuccess(answered) {
      if (answered === null) return;
      const { test, content, after } = answered;
      if (content && latest.current === test) setSession(content);
      await catchUp(test, after, content === null);
    },
    onError(_error, { test, words }) {
      if (latest.current === test) giveBack(words);
      return catchUp(test, -1, false).catch(() => setRunning(null));
    },
  });

  /** The stored turns take the place of the one that ran. */
  async function catchUp(test: string, after: number, isStopped: boolean): Promise<void> {
    const session_id = shown.current;
    for (let looks = 0; session_id !== null && looks < (isStopped ? LOOKS : 1); looks++) {
      const { queryKey, queryFn } = storyQuery(session_id);
      // One that is under way may have been read before the turn was stored.
      await client.cancelQueries({ queryKey });
      const { turns } = await client.fetchQuery({ queryKey, queryFn, staleTime: 0 });
      const last = turns.at(-1);
      if (latest.current !== test || (last && last.index > after && last.duration_ms !== null)) break;
      if (isStopped) await new Promise((resolve) => setTimeout(resolve, STORED_MS));
    }
    if (latest.current === test) setRunning(null);
  }

  return {
    test_id,
    session,
    story,
    running,
    /** The stored turns; the one that runs is not among them yet. */
    turns: running ? turns.filter(({ index }) => index <= running.after) : turns,
    state: session ? story.data?.state : undefined,
    /** Waits for the answer before it. */
    queued: say.isPaused ? say.variables?.words : undefined,
    isAnswering: running !== null && !running.isOver,
    error: say.error,
    stop,
    start() {
      stop();
      const test = randomName();
      latest.current = test;
      shown.current = null;
      setTestId(test);
      setSession(null);
      setRunning(null);
      say.mutate({ test, words: "", start: true });
    },
    say(words: string) {
      if (test_id !== null) say.mutate({ test: test_id, words, start: false });
    },
    /** Shows a session that was held by voice. */
    show(session_id: number) {
      latest.current = `call ${session_id}`;
      shown.current = session_id;
      setTestId(latest.current);
      setRunning(null);
      setSession({ session_id, ended: true });
    },
  };
}

const storyQuery = (session_id: number) => ({
  queryKey: ["session", String(session_id), "talk"],
  queryFn: ({ signal }: { signal: AbortSignal }) => readStory(session_id, signal),
});

/** `crypto.randomUUID` is missing over plain http from another machine. */
const randomName = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
