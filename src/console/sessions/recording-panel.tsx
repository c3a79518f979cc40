import { Button, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { TraceEntryResponse } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Failure, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { callMarks, recordingOffsets } from "./call-marks.ts";
import { Waveform } from "./waveform.tsx";

type Props = {
  id: string;
  /** What the engine did, of which the recording shows who spoke when. */
  entries: readonly TraceEntryResponse[];
  seek: { seconds: number } | null;
  /** Seconds since the first recording's beginning while one plays; null before. */
  onTime(seconds: number | null): void;
};

/** The recordings of a session, one a line of its call. Playing marks the turn in the transcript; clicking a turn seeks to it. */
export function RecordingPanel({ id, entries, seek, onTime }: Props) {
  const links = useAction({
    mutationFn: () => call("POST /api/v1/sessions/recording/{session_id}", { path: { session_id: id } }),
    onSuccess: ({ recordings }) => recordings?.length && onTime(0),
  });
  const pictures = useQuery({
    queryKey: ["session", id, "waveform"],
    enabled: links.isSuccess,
    queryFn: ({ signal }) =>
      call("GET /api/v1/sessions/{session_id}/waveform", { path: { session_id: Number(id) }, signal }),
  });
  const pictured = pictures.data?.recordings ?? [];
  const offsets = recordingOffsets(pictured);
  const players = useRef(new Map<number, HTMLAudioElement>());
  const [at, setAt] = useState<{ index: number; seconds: number } | null>(null);
  const listenFrom = (index: number, seconds: number) => {
    const player = players.current.get(index);
    if (!player) return;
    for (const [other, playing] of players.current) if (other !== index) playing.pause();
    player.currentTime = seconds;
    void player.play().catch(() => {});
  };
  const seekTo = useRef(listenFrom);
  seekTo.current = (_index, seconds) => {
    const index = Math.max(
      0,
      offsets.findLastIndex((offset) => offset !== null && offset <= seconds),
    );
    listenFrom(index, Math.max(0, seconds - (offsets[index] ?? 0)));
  };
  useEffect(() => {
    if (seek) seekTo.current(0, seek.seconds);
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
          recordings.map((link, index) => {
            const picture = pictured[index];
            const name = index === 0 ? "Recording" : `Recording ${index + 1}, of the next line`;
            return (
              <Stack key={link} gap="xs" style={{ width: "100%" }}>
                {/* biome-ignore lint/a11y/useMediaCaption: the transcript beside it says every word */}
                <audio
                  ref={(player) => {
                    if (player) players.current.set(index, player);
                    else players.current.delete(index);
                  }}
                  controls
                  preload="metadata"
                  src={sameOrigin(link)}
                  aria-label={name}
                  onTimeUpdate={({ currentTarget }) => {
                    setAt({ index, seconds: currentTarget.currentTime });
                    const offset = index === 0 ? 0 : (offsets[index] ?? null);
                    if (offset !== null) onTime(offset + currentTarget.currentTime);
                  }}
                  style={{ width: "100%" }}
                />
                {picture && (
                  <Waveform
                    {...picture}
                    line={index}
                    marks={callMarks(entries, picture)}
                    at={at?.index === index ? at.seconds : null}
                    onSeek={(seconds) => listenFrom(index, seconds)}
                  />
                )}
              </Stack>
            );
          })
        )}
      </Stack>
    </Panel>
  );
}

/** Links name the public address; from here the same path is reached by the address this page came from. */
function sameOrigin(link: string): string {
  const { pathname, search } = new URL(link, location.href);
  return pathname + search;
}
