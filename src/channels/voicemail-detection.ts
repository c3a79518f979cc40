/*
 * A campaign's voicemail detection in seconds. The most that counts is what Twilio allows: beyond it a person who picked up
 * would wait in silence, as where somebody wrote milliseconds. Pure.
 */

const SECONDS = {
  overall_timeout: { usual: 30, most: 59 },
  pre_speech_timeout: { usual: 3.5, most: 10 },
  post_speech_timeout: { usual: 1.75, most: 5 },
  speech_threshold: { usual: 2.4, most: 6 },
  v2_pre_speech_timeout: { usual: 3.5, most: 10 },
} as const;
export type DetectionTime = keyof typeof SECONDS;

type GivenTimes = Record<string, unknown>;

const given = (config: GivenTimes, name: DetectionTime): number | null => {
  const found = config[`voicemail_detection_${name}`];
  return typeof found === "number" ? found : null;
};

/** The seconds that count. */
export const detectionSeconds = (config: GivenTimes, name: DetectionTime): number =>
  Math.min(given(config, name) ?? SECONDS[name].usual, SECONDS[name].most);

/** The fields that hold more than counts. */
export const beyondDetection = (config: GivenTimes): { field: string; seconds: number; most: number }[] =>
  (Object.keys(SECONDS) as DetectionTime[]).flatMap((name) => {
    const seconds = given(config, name);
    const { most } = SECONDS[name];
    return seconds !== null && seconds > most
      ? [{ field: `voicemail_detection_${name}`, seconds, most }]
      : [];
  });
