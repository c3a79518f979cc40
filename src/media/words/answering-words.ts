import type { AnsweredKind } from "../../channels/call-socket.ts";

/*
 * Phrases by which machines give themselves away when a call is answered: English, Spanish and French. Pure.
 */

type MachineKind = Extract<AnsweredKind, "screener" | "unavailable" | "voicemail" | "ivr" | "hold">;

/** Only a voicemail speaks of its beep, its box and recording, even after we have spoken. */
const RECORDS = [
  /\b(?:after|at|wait for) the (?:tone|beep)\b/,
  /\bvoice ?mail(?:box)?\b/,
  /\bmailbox\b/,
  /\brecord your message\b/,
  /\bdespu[eé]s de(?:l tono| la señal)\b/,
  /\bbuz[oó]n de voz\b|\bcontestador\b/,
  /\bgrab[ea] (?:su|tu|un) mensaje\b/,
  /\bapr[eè]s le (?:bip|signal)\b/,
  /\bmessagerie\b|\br[eé]pondeur\b/,
];

/** The first kind whose phrase is said; a screener also speaks of recording, and a voicemail also of keys. */
const PHRASES: readonly [MachineKind, readonly RegExp[]][] = [
  [
    "screener",
    [
      /\b(?:say|state|record|give|tell me) your (?:full |first )?name\b/,
      /\bcall(?:s)? (?:is being |are being |being )?screen(?:ed|er|ing)\b|\bscreening (?:service|this call|calls)\b/,
      /\byour name and (?:the |your )?reason\b/,
      /\bwhat (?:you are|you're|your) calling about\b/,
      /\b(?:diga|indique) su nombre\b/,
      /\bmotivo de (?:su|la) llamada\b/,
      /\b(?:dites|indiquez) votre nom\b/,
      /\b(?:raison|motif|objet) de (?:votre|l')\s?appel\b/,
    ],
  ],
  [
    "unavailable",
    [
      /\bnumber you (?:have )?(?:dialed|dialled|called) (?:is not in service|has been (?:disconnected|changed)|is not a working)/,
      /\b(?:is|are) (?:no longer|not) in service\b/,
      /\byour call cannot be completed\b|\bcall can(?:'t|not) be completed as dial/,
      /\bel (?:n[uú]mero|tel[eé]fono) (?:(?:marcado|al que (?:usted )?(?:ha )?llama\S*|que (?:usted )?(?:ha )?marc\S+) )?no (?:existe|est[aá] en servicio)/,
      /\bno existe ninguna l[ií]nea\b|\bapagado o fuera de cobertura\b/,
      /\ble num[eé]ro (?:que vous (?:avez )?(?:compos|demand)\S+ )?n'est (?:pas|plus) (?:attribu[eé]|en service)/,
      /\bn'est pas joignable\b(?!.*\bmessage\b)/,
    ],
  ],
  [
    "voicemail",
    [
      ...RECORDS,
      /\bleave (?:me |us )?(?:a|your) (?:\w+ )?message\b/,
      /\b(?:can'?t|cannot|unable to) (?:come to|take|answer) (?:the|your|my) (?:phone|call)\b/,
      /\b(?:is|are|am) (?:not|un)(?: )?available\b.*\b(?:message|call)\b/,
      /\bd[eé]j[ea](?:me|nos)? (?:su|tu|un) mensaje\b/,
      /\bno (?:est[aá]|estoy) disponible\b.*\b(?:mensaje|llamada)\b/,
      /\blaisse[rz](?:[- ](?:moi|nous))? (?:un|votre) message\b/,
      /\bn(?:e suis|'est) pas (?:disponible|joignable)\b.*\b(?:message|appel)/,
    ],
  ],
  [
    "ivr",
    [
      /\bpress (?:\d|zero|one|two|three|four|five|six|seven|eight|nine|star|pound)\b/,
      /\bmain menu\b|\bmenu options\b|\bfollowing options\b/,
      /\b(?:oprima|marque|pulse|presione) (?:el )?(?:\d|uno|dos|tres|cuatro|cero)\b/,
      /\b(?:tapez|appuyez sur)(?: le| la)? (?:\d|un|deux|trois|quatre|z[eé]ro)\b/,
    ],
  ],
  [
    "hold",
    [
      /\bplease (?:continue to )?hold\b/,
      /\bstay on the line\b/,
      /\byour call is important\b/,
      /\bnext available (?:agent|representative|operator)\b/,
      /\b(?:permanezca|espere) en (?:la )?l[ií]nea\b/,
      /\b(?:restez en|ne quittez pas)\b/,
    ],
  ],
];

const spoken = (words: string): string => words.toLowerCase().replace(/[’`]/g, "'");

/** What these words can only come from; null: from a person as well. */
export function machineWords(words: string): MachineKind | null {
  const heard = spoken(words);
  return PHRASES.find(([, phrases]) => phrases.some((phrase) => phrase.test(heard)))?.[0] ?? null;
}

/** A machine of some kind: a screener, the network and a voicemail begin like this. */
export const isAnnouncement = (words: string): boolean =>
  machineWords(words) === "voicemail" ||
  /\bthe (?:person|party|number) you (?:have )?(?:called|dialed|are calling|are trying to reach)\b/.test(
    spoken(words),
  );

export const announcesRecording = (words: string): boolean =>
  RECORDS.some((phrase) => phrase.test(spoken(words)));

/** Told to the recognition of a call that we made, since nothing of the agent's own texts is like them. */
export const ANSWERING_SENTENCES: readonly string[] = [
  "Please leave a message after the tone.",
  "You have reached the voicemail of",
  "Please record your message after the beep.",
  "I can't come to the phone right now.",
  "Please state your name and the reason for your call.",
  "Please stay on the line. Your call is important to us.",
  "For appointments, press one. For billing, press two.",
  "The number you have dialed is not in service.",
];
