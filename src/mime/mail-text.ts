/**
 * What of a mail's plain text is new: without the mails it quotes and without a signature. Mail programs mark both in
 * few ways; what is marked in none is kept, since a lost sentence is worse than a quoted one. A mail that is handed on is
 * no quote: we have not read it. Pure.
 */
export function newText(text: string, subject = ""): string {
  const plain = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll("\u00a0", " ");
  const words = plain.replace(PLACE_OF_PICTURE, "").replace(LINKED_ADDRESS, "$1");
  const lines = withoutArmor(words).split("\n");
  const quoteAt = lines.findIndex((_, at) => beginsQuote(lines, at));
  if (quoteAt === -1) return tidy(ownOf(lines));
  const above = ownOf(lines.slice(0, quoteAt));
  if (isHandedOn(lines, quoteAt, subject)) return tidy([...above, ...lines.slice(quoteAt)]);
  const said = tidy(above);
  // Who greets or points above a quote answers below it, or between its lines. Below an answer stand notices that servers add.
  const quoted = lines.slice(quoteAt);
  const isAnswered =
    said !== "" && !isGreeting(said) && !POINTS_BELOW.test(said) && !isAnsweredBetween(quoted);
  if (isAnswered) return said;
  if (isMarked(lines, quoteAt)) return tidy([said, "", ...answersBelow(quoted)]);
  // Everything looked quoted: a quote that was mistaken for one.
  return said === "" && quoteAt === 0 ? tidy(withoutQuotes(lines)) : said;
}

/** Marks the place of an inline picture, which is also among the attachments. */
const PLACE_OF_PICTURE = /\[cid:[^\]\s]{1,200}\]/gi;
/** Where HTML is turned into words, the target of a link stands behind it, in a line of its own where the line is full. */
const LINKED_ADDRESS = /(?<![^\s<>[\]@])([^\s<>[\]@]{1,64}@[^\s<>[\]@]{1,255})\s\[\1\]/gi;
/** A text that is signed in itself, without the lines around it (RFC 9580, 7). */
function withoutArmor(text: string): string {
  const beginsAt = text.indexOf("-----BEGIN PGP SIGNED MESSAGE-----\n");
  const wordsAt = beginsAt === -1 ? -1 : text.indexOf("\n\n", beginsAt);
  const signedAt = wordsAt === -1 ? -1 : text.indexOf("\n-----BEGIN PGP SIGNATURE-----\n", wordsAt);
  const endsAt = signedAt === -1 ? -1 : text.indexOf(END_OF_ARMOR, signedAt);
  if (endsAt === -1) return text;
  const words = text.slice(wordsAt + 2, signedAt).replace(/^- /gm, "");
  return text.slice(0, beginsAt) + words + text.slice(endsAt + END_OF_ARMOR.length);
}
const END_OF_ARMOR = "-----END PGP SIGNATURE-----";

/** Without lines that are marked as quoted, and to where a signature begins. */
function ownOf(lines: readonly string[]): string[] {
  const signatureAt = lines.findIndex((_, at) => beginsSignature(lines, at));
  return (signatureAt === -1 ? lines : lines.slice(0, signatureAt)).filter((line) => !line.startsWith(">"));
}

const tidy = (lines: readonly string[]): string =>
  lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

/** What stands below marked lines and between them, to the next quote that is not marked. */
function answersBelow(quoted: readonly string[]): string[] {
  const lines = withoutQuotes(quoted);
  const endAt = lines.findIndex((_, at) => beginsQuote(lines, at));
  return ownOf(endAt === -1 ? lines : lines.slice(0, endAt));
}

function withoutQuotes(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const attribution = attributionAt(lines, at);
    const line = lines[at] ?? "";
    if (attribution === 0 && !line.startsWith(">")) kept.push(line);
    at += attribution || 1;
  }
  return kept;
}

/** Words that begin letters in the languages of mail programs; whatever ends with a comma in one short line begins one, too. */
const GREETING =
  /^(hi|hey|hello|dear|good (morning|afternoon|evening|day)|hallo|moin|guten (tag|morgen|abend)|liebe[rs]?|sehr geehrte[rs]?|bonjour|bonsoir|salut|ch[eè]re?|hola|buen[oa]s|estimad[oa]s?|ciao|salve|buon(giorno|asera)|gentile|olá|bom dia|boa (tarde|noite)|prezad[oa]s?|dag|goede(morgen|middag|navond)|beste|hej|hei|cześć|dzień dobry|szanown[iay]|привет|здравствуйте|добрый|merhaba|sayın)(?!\p{L})/iu;
/** Who only thanks above a quote has not answered it, either. */
const THANKS =
  /^(many |ok,? |okay,? )?(thanks|thank you|thx|((vielen|besten|herzlichen) )?dank|danke|merci|((muchas|mil) )?gracias|grazie|((muito|muita) )?obrigad[oa]|bedankt|tack|(mange |tusind |tusen )?takk?|dzi[eę]k(i|uj[eę])|спасибо|teşekkür(ler)?)(?!\p{L})/iu;
const LONGEST_GREETING = 6;
const isGreeting = (said: string): boolean =>
  !said.includes("\n") &&
  said.split(/\s+/).length <= LONGEST_GREETING &&
  (GREETING.test(said) || THANKS.test(said) || /[,，、]$/u.test(said));

/** "My answers are below", "inline". */
const POINTS_BELOW =
  /(?<!\p{L})(below|in-?line|underneath|in the text|unten|darunter|im text|dazwischen|ci-dessous|plus bas|dans le texte|abajo|en el texto|di seguito|qui sotto|nel testo|abaixo|no texto|hieronder|nedan|nedenfor|poniżej|ниже)(?!\p{L})|以下|下面/iu;

/**
 * Whether somebody wrote between marked lines. What only goes on from a long marked line was broken off it by a program that
 * marks the first line alone.
 */
function isAnsweredBetween(quoted: readonly string[]): boolean {
  const isQuoted = (line: string) => line.startsWith(">");
  const between = quoted.slice(quoted.findIndex(isQuoted), quoted.findLastIndex(isQuoted) + 1);
  return between.some(
    (line, at) => line.trim() !== "" && !isQuoted(line) && (between[at - 1] ?? "").length < SHORT_QUOTED,
  );
}
const SHORT_QUOTED = 60;

/** Whether the lines of the mail that an attribution introduces are marked as quoted. */
function isMarked(lines: readonly string[], quoteAt: number): boolean {
  const attribution = attributionAt(lines, quoteAt);
  return attribution > 0 && isQuotedBelow(lines, quoteAt + attribution);
}

function isQuotedBelow(lines: readonly string[], below: number): boolean {
  let at = below;
  while (at < lines.length && lines[at]?.trim() === "") at++;
  return lines[at]?.trimStart().startsWith(">") ?? false;
}

/** "On Tue, 3 Mar 2026 at 10:12, Ann <ann@example.com> wrote:" in the languages of mail programs, by its last words. */
const WROTE =
  /(wrote|schrieb|a écrit|escribió|ha scritto|escreveu(\s*\([^()]{8,60}(\(s\)[^()]{1,20})?\))?|skrev|schreef|napisał\(a\)|написал[аи]?|пишет|пише|yazdı|đã viết|ने लिखा|写道|寫道|님이 작성|のメール|wrote the following)\s*[:：]\s*$/iu;
/** Japanese, Russian and Arabic end with the address: "2026年11月23日(月) 10:00 Clinic <support@clinic.example>:" */
const ADDRESS_LAST = /^(?=.*20\d\d)(?=.*\d{1,2}[:.]\d\d).*[<‹][^<>‹›\s]+@[^<>‹›\s]+[>›]\s*[:：]\s*$/u;
/** Zoho: "---- On Tue, 03 Mar 2026 10:12:00 +0000 Clinic <support@clinic.example> wrote ----" */
const BETWEEN_DASHES = /^-{3,}\s(?=.*20\d\d).*[<‹][^<>‹›\s]+@[^<>‹›\s]+[>›]\s.*\s-{3,}$/u;
/** Germanic languages put the name behind the verb. */
const WROTE_BEFORE_NAME = /^(am|op|den|på)\s.*\b(schrieb|schreef|skrev)\s[^:]{1,200}:\s*$/iu;
const ON = /^(on|am|le|el|il|em|op|den|em|w dniu|vào|在|于|20\d\d[-年/.])/iu;

/** A line with day and time that is no whole sentence may be one in any language; what follows of it has no day. */
const DATED = /^(?=.*20\d\d)(?=.*\d{1,2}[:.]\d\d).*[^.?!…。？！]$/u;
const DAY = /20\d\d/;

/** In its first words: what programs write before the day is one word, or two and the name of the month. */
const BEGINS_WITH_DAY = /^(?:[^\s\d]+\s+){0,3}[^\s\d]*\d/u;
/** In languages whose words we don't know: what a program says of marked lines ends so, and names day, time and address. */
const IN_ANY_LANGUAGE = /^(?=.*\b2\d\d\d)(?=.*\d{1,2}[:.]\d\d)(?=.*[^\s<>()]@[^\s<>()]).*[:：]\s*$/u;

const ADDRESS = /[<‹][^<>‹›\s]+@[^<>‹›\s]+[>›]/u;
/** Programs break an attribution only where its next word does not fit: at 72 characters, the narrowest of them. */
const NARROWEST = 72;

const LONGEST_ATTRIBUTION = 400;
const isAttribution = (line: string): boolean =>
  line.length < LONGEST_ATTRIBUTION &&
  (WROTE.test(line) ||
    WROTE_BEFORE_NAME.test(line) ||
    BETWEEN_DASHES.test(line) ||
    (ADDRESS_LAST.test(line) && BEGINS_WITH_DAY.test(line)));

/** A line as it reads in Latin: signs of direction say nothing here, and digits of Arabic and Persian are digits. */
const readable = (line: string): string =>
  line
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .trim();

/** Of how many lines an attribution is that begins here: programs break it at 76 characters, over two or three; 0: none is. */
function attributionAt(lines: readonly string[], at: number): number {
  const line = readable(lines[at] ?? "");
  if (line.length >= LONGEST_ATTRIBUTION) return 0;
  const isOne = (words: string, below: number) =>
    isAttribution(words) || (IN_ANY_LANGUAGE.test(words) && isQuotedBelow(lines, below));
  if (isOne(line, at + 1)) return isOfProgram(line, lines, at + 1) ? 1 : 0;
  const on = ON.test(line);
  if (!on && !DATED.test(line)) return 0;
  for (const count of [2, 3]) {
    const more = lines.slice(at + 1, at + count).map(readable);
    if (more.includes("") || (!on && more.some((each) => DAY.test(each)))) return 0;
    const joined = [line, ...more].join(" ");
    if (isOne(joined, at + count)) {
      const isWhole = isBroken(line, more, (lines[at - 1] ?? "").trim());
      return isWhole && isOfProgram(joined, lines, at + count) ? count : 0;
    }
  }
  return 0;
}

/** Somebody may introduce words of their own so ("This is what she wrote:"); programs tell day or address, or mark what follows. */
function isOfProgram(attribution: string, lines: readonly string[], below: number): boolean {
  return ADDRESS.test(attribution) || DAY.test(attribution) || isQuotedBelow(lines, below);
}

const VERB_ALONE = new RegExp(`^${WROTE.source}`, "iu");

/**
 * Whether a first line belongs to the attribution that ends below it, or somebody wrote it and an attribution without a day
 * follows ("The clinic wrote:"). What lacks a name of its own goes on from the line above. What has a name may go on where
 * programs break it, in the name behind day and time, with the address still to come; nothing else is taken for a quote.
 */
function isBroken(line: string, more: readonly string[], above: string): boolean {
  const rest = more.join(" ");
  if (!isAttribution(rest) || ADDRESS.test(line)) return true;
  if (ON.test(rest) || DAY.test(rest)) return false;
  if (/^\W*[<‹]/u.test(rest) || VERB_ALONE.test(rest)) return true;
  const isFull = [line, ...more].every((each, at, all) => {
    const next = all[at + 1];
    return next === undefined || `${each} ${next.split(" ")[0]}`.length > NARROWEST;
  });
  return isFull && above === "" && isDayAndName(line) && ADDRESS.test(rest);
}

/** Names have capitals, or letters without them; of a sentence that somebody begins with a day, few words have. */
function isDayAndName(line: string): boolean {
  const name = /\d{1,2}[:.]\d\d(.*)$/u.exec(line)?.[1];
  if (name === undefined || !DATED.test(line) || !BEGINS_WITH_DAY.test(line)) return false;
  const words = name.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  return 3 * words.filter((word) => /^[\p{Lu}\p{Lt}\p{Lo}]/u.test(word)).length >= words.length;
}

const ORIGINAL =
  /^[-_*\s]*(original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|mensagem original|原始邮件|원본 메시지|元のメッセージ)[-_*:\s]*$/iu;
const HANDED_ON =
  /^[-_*\s]*((begin |anfang der |début du |inicio del |inizio |início da )?(forwarded message|weitergeleiteten? nachricht|message transféré|mensaje reenviado|messaggio inoltrato|mensagem (encaminhada|reenviada)|doorgestuurd bericht|vidarebefordrat meddelande|przekazana wiadomość|пересылаемое сообщение)|转发的邮件|전달된 메시지|転送されたメッセージ)[-_*:\s]*$/iu;
/** Outlook tells by the subject alone that a mail is handed on. */
const HANDED_ON_SUBJECT =
  /^\s*(fwd?|wg|tr|rv|enc|doorst|vb|vl|pd|i|trs|i̇lt|ilt|fs|tov|továbbítás|πρθ|пер|إعادة توجيه|הועבר|转发|轉寄|ส่งต่อ|chuyển tiếp)\s*[:：]/iu;
/** In Danish and Norwegian it is handed on; in Finnish it is an answer. */
const VS_SUBJECT = /^\s*vs\s*:/iu;

function isHandedOn(lines: readonly string[], at: number, subject: string): boolean {
  if (HANDED_ON.test((lines[at] ?? "").trim())) return true;
  const head = lines.slice(at, at + 3);
  const isSaid =
    HANDED_ON_SUBJECT.test(subject) ||
    (VS_SUBJECT.test(subject) && head.some((line) => /^\*?fra\b/iu.test(line)));
  return isSaid && attributionAt(lines, at) === 0;
}

const RULE = /^(_{20,}|-{20,})\s*$/;
const FROM_LINE =
  /^\*?(from|von|de|da|van|od|från|fra|lähettäjä|от|від|kimden|发件人|寄件者|差出人|보낸 사람|من|از|מאת|από|feladó|de la|từ|dari|จาก)\s*(\*\s*)?[:：]\*?\s*\S/iu;
const HEADER_LINE =
  /^\*?(sent|gesendet|envoyé|enviado|inviato|date|datum|fecha|data|to|an|à|para|a|subject|betreff|objet|asunto|oggetto|assunto|cc|verzonden|aan|onderwerp|wysłane|do|temat|skickat|till|ämne|sendt|til|emne|lähetetty|vastaanottaja|aihe|odesláno|komu|předmět|отправлено|кому|тема|дата|надіслано|gönderildi|tarih|kime|konu|发送时间|收件人|主题|送信日時|宛先|件名|보낸 날짜|받는 사람|제목|(تم )?(ال)?إرسال|التاريخ|إلى|الموضوع|ارسال|به|موضوع|נשלח|תאריך|אל|נושא|στάλθηκε|ημερομηνία|προς|θέμα|elküldve|dátum|címzett|tárgy|trimis|dată|către|subiect|đã gửi|ngày|đến|chủ đề|dikirim|tanggal|kepada|subjek|ส่ง|วันที่|ถึง|เรื่อง)\s*(\*\s*)?[:：]\*?/iu;

function beginsQuote(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? "").trim();
  if (line === "") return false;
  if (ORIGINAL.test(line) || HANDED_ON.test(line)) return true;
  if (attributionAt(lines, at) > 0) return true;
  let following = at;
  if (RULE.test(line))
    do following++;
    while (lines[following]?.trim() === "");
  // Some tell the day before the sender.
  const isDated =
    HEADER_LINE.test(readable(lines[following] ?? "")) && DAY.test(readable(lines[following] ?? ""));
  return isHeaderBlock(lines, following) || (isDated && isHeaderBlock(lines, following + 1));
}

/** Outlook quotes by the headers of the mail, unmarked: a From line, and two others right below it. */
function isHeaderBlock(lines: readonly string[], at: number): boolean {
  if (!FROM_LINE.test(readable(lines[at] ?? ""))) return false;
  const below = lines.slice(at + 1, at + 6).map(readable);
  return below.filter((line) => HEADER_LINE.test(line)).length >= 2;
}

/** RFC 3676 §4.3 marks a signature by "-- "; the rest is what telephones add of themselves, near the end. */
const SENT_FROM =
  /^(sent from (my|mail|yahoo|outlook)|sent with proton ?mail|get outlook for|von meinem .{2,30} gesendet|gesendet von|envoyé de(puis)? mon|enviado desde mi|inviato da|enviado do meu|从我的.{2,20}发送|iphoneから送信|나의 .{2,20}에서 보냄)/iu;
/** In other languages the word may stand anywhere, beside what it was sent from. */
const SENT =
  /отправлено|надіслано|verstuurd|verzonden|skickat|sendt fra|wysłan|lähetetty|odesláno|odoslané|στάλθηκε|נשלח|رسل|الإرسال|gönderildi|भेजा गया|ส่งจาก|đã gửi|dikirim|elküldve|trimis|poslano|enviat|ارسال شده|gesendet|beschaffen|télécharger|obtener|ottieni|obter|hämta|hent|pobierz|скачать/iu;
const DEVICE = /iphon|ipad|android|samsung|galaxy|huawei|xiaomi|redmi|outlook/iu;
const LONGEST_SENT_FROM = 50;

function beginsSignature(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  if (/^--\s?$/.test(line)) return true;
  const last = readable(line);
  if (lines.length - at > 6) return false;
  if (SENT_FROM.test(last)) return true;
  // Such words may be somebody's own: these stand alone, below others, at the very end.
  const isAlone = lines[at - 1]?.trim() === "" && lines.slice(at + 1).every((each) => each.trim() === "");
  const isShort = last.length <= LONGEST_SENT_FROM && !/[?!,.؟،。]/u.test(last);
  return isAlone && isShort && SENT.test(last) && DEVICE.test(last);
}

/** All headers of a mail together, and those of each part: mails of people have a few kilobytes, of lists twenty. */
export const MOST_HEADER_bytes = 256 * 1024;
/** A template whose author wrote tags means HTML. */
export const isHtml = (text: string): boolean =>
  /<(!doctype|html|body|div|p|br|table|h[1-6]|ul|ol|a|span|strong|em|b|i|img)[\s/>]/i.test(text);
