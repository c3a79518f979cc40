import { escapeHtml } from "../api/plain-page.ts";
import type { MailWords } from "./mail-template.ts";

/** What a template writes to place the link itself, in its own words; a template without it gets the line below. */
export const UNSUBSCRIBE_VARIABLE = "vars.unsubscribe_url";

/** By the language of the session; in English where there is none of it. */
const LINES: Record<string, { line: string; link: string }> = {
  ar: { line: "لا ترغب في تلقي المزيد من رسائلنا؟", link: "إلغاء الاشتراك" },
  bs: { line: "Ne želite više primati naše poruke?", link: "Odjava" },
  de: { line: "Sie möchten keine Nachrichten mehr von uns?", link: "Abmelden" },
  en: { line: "Don't want to hear from us any more?", link: "Unsubscribe" },
  es: { line: "¿No desea recibir más mensajes nuestros?", link: "Darse de baja" },
  fa: { line: "نمی‌خواهید دیگر از ما پیام دریافت کنید؟", link: "لغو اشتراک" },
  fr: { line: "Vous ne souhaitez plus recevoir nos messages ?", link: "Se désabonner" },
  gu: { line: "અમારા વધુ સંદેશા નથી જોઈતા?", link: "અનસબ્સ્ક્રાઇબ કરો" },
  hi: { line: "हमारे और संदेश नहीं चाहते?", link: "सदस्यता समाप्त करें" },
  it: { line: "Non desidera più ricevere i nostri messaggi?", link: "Annulla l'iscrizione" },
  ja: { line: "今後のメールを希望されない場合:", link: "配信停止" },
  ko: { line: "더 이상 메일을 받지 않으시려면:", link: "수신 거부" },
  ne: { line: "हाम्रा थप सन्देश चाहनुहुन्न?", link: "सदस्यता रद्द गर्नुहोस्" },
  nl: { line: "Wilt u geen berichten meer van ons ontvangen?", link: "Afmelden" },
  pt: { line: "Não deseja mais receber nossas mensagens?", link: "Cancelar inscrição" },
  ru: { line: "Не хотите больше получать наши письма?", link: "Отписаться" },
  sw: { line: "Hutaki kupokea ujumbe wetu tena?", link: "Jiondoe" },
  th: { line: "ไม่ต้องการรับข้อความจากเราอีก?", link: "ยกเลิกการรับ" },
  vi: { line: "Không muốn nhận thư của chúng tôi nữa?", link: "Hủy đăng ký" },
  yue: { line: "唔想再收到我哋嘅電郵？", link: "取消訂閱" },
  zh: { line: "不想再收到我们的邮件？", link: "退订" },
};

/**
 * A mail of a campaign says in its words how to get no more of them: not every mail program shows the header that says so
 * too. Each part gets the line unless the template has placed the link in it. Pure.
 */
export function withWayOut(words: MailWords, url: string, language: string | null): MailWords {
  const { line, link } = LINES[language?.split("-")[0]?.toLowerCase() ?? "en"] ?? LINES.en!;
  const text = words.text.includes(url) ? words.text : `${words.text}\n\n--\n${line} ${link}: ${url}`;
  if (words.html === null || words.html.includes(url)) return { ...words, text };
  const paragraph = `<p dir="auto" style="font-size:small">${escapeHtml(line)} <a href="${escapeHtml(url)}">${escapeHtml(link)}</a></p>`;
  // Within the page, where the template is a whole one.
  const end = words.html.search(/<\/body\s*>/i);
  const at = end === -1 ? words.html.length : end;
  return { ...words, text, html: `${words.html.slice(0, at)}${paragraph}${words.html.slice(at)}` };
}
