import { Button, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Failure, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Waveform } from "./waveform.tsx";

type Props = {
  id: string;
  seek: { seconds: number } | null;
  /** Seconds since the session's start while the first recording plays; null before. */
  onTime(seconds: number | null): void;
};

/** The recordings of a session. Playing marks the turn in the transcript; clicking a turn seeks to it. */
export function RecordingPanel({ id, seek, onTime }: Props) {
  const player = useRef<HTMLAudioElement>(null);
  const links = useMutation({
    mutationFn: () => call("POST /api/v1/sessions/recording/{session_id}", { path: { session_id: id } }),
    onSuccess: ({ recordings }) => recordings?.length && onTime(0),
  });
  const pictures = useQuery({
    queryKey: ["session", id, "waveform"],
    enabled: links.isSuccess,
    queryFn: ({ signal }) =>
      call("GET /api/v1/sessions/{session_id}/waveform", { path: { session_id: Number(id) }, signal }),
  });
  const picture = pictures.data?.recordings[0] ?? null;
  const [at, setAt] = useState<number | null>(null);
  const listenFrom = (seconds: number) => {
    if (!player.current) return;
    player.current.currentTime = seconds;
    void player.current.play().catch(() => {});
  };
  useEffect(() => {
    if (seek && player.current) {
      player.current.currentTime = seek.seconds;
      void player.current.play().catch(() => {});
    }
  }, [seek]);

  const recordings = links.data?.recordings ?? [];
  return (
    <Panel title="Recording">
      <Stack gap="xs" align="flex-start">
        {links.isIdle || links.isPending ? (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlayerPlay size={14} />}
            loading={links.isPending}
            onClick={() => links.mutate()}
          >
            Load recording
          </Button>
        ) : links.error ? (
          <Failure error={links.error} retry={() => links.mutate()} />
        ) : recordings.length === 0 ? (
          <Text size="sm" c="dimmed">
            No recording. Calls are recorded when the channel has recording turned on.
          </Text>
        ) : (
          recordings.map((link, index) => (
            // biome-ignore lint/a11y/useMediaCaption: the transcript beside it says every word
            <audio
              key={link}
              ref={index === 0 ? player : undefined}
              controls
              preload="metadata"
              src={sameOrigin(link)}
              aria-label={index === 0 ? "Recording" : `Recording ${index + 1}, after the transfer`}
              onTimeUpdate={
                index === 0
                  ? ({ currentTarget }) => {
                      setAt(currentTarget.currentTime);
                      onTime(currentTarget.currentTime);
                    }
                  : undefined
              }
              style={{ width: "100%" }}
            />
          ))
        )}
        {picture && <Waveform {...picture} at={at} onSeek={listenFrom} />}
      </Stack>
    </Panel>
  );
}

/** Links name the public address; from here the same path is reached by the address this page came from. */
function sameOrigin(link: string): string {
  const { pathname, search } = new URL(link, location.href);
  return pathname + search;
}
