/** The type of a recording by its first bytes, because names and declared types can't be trusted. */
export type RecordingType = { extension: string; media_type: string };

/** How many bytes of a file the signatures need. */
export const SIGNATURE_bytes = 12;

/** The accepted types in words, for error messages. */
export const RECORDING_TYPES = "WAV, MP3, OGG, FLAC, M4A/MP4, WebM, AAC or AMR";

export const RECORDING_EXTENSIONS = ["wav", "mp3", "ogg", "flac", "m4a", "webm", "aac", "amr"];

const type = (extension: string, media_type: string): RecordingType => ({ extension, media_type });

/** null for an unknown type. Pure. */
export function recordingType(head: Buffer): RecordingType | null {
  const text = (from: number, to: number) => head.toString("latin1", from, to);
  if (text(0, 4) === "RIFF" && text(8, 12) === "WAVE") return type("wav", "audio/wav");
  if (text(0, 4) === "OggS") return type("ogg", "audio/ogg");
  if (text(0, 4) === "fLaC") return type("flac", "audio/flac");
  if (text(4, 8) === "ftyp") return type("m4a", "audio/mp4");
  if (text(0, 4) === "\x1a\x45\xdf\xa3") return type("webm", "audio/webm");
  if (text(0, 5) === "#!AMR") return type("amr", "audio/amr");
  if (text(0, 3) === "ID3") return type("mp3", "audio/mpeg");
  return frameType(head);
}

/** Streams without a header begin with a frame: eleven ones, then version and layer. ADTS has layer 0, UTF-16 text layer 3. */
function frameType(head: Buffer): RecordingType | null {
  const [first = 0, second = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const version = (second >> 3) & 0b11;
  const layer = (second >> 1) & 0b11;
  if (layer === 0) return (second & 0xf0) === 0xf0 ? type("aac", "audio/aac") : null;
  return layer === 0b11 || version === 0b01 ? null : type("mp3", "audio/mpeg");
}
