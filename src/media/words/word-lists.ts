/** What a few words do to a conversation in one language, parted by commas; empty where nothing is known. */
type WordList = {
  /** Said while listening: "go on, I hear you". */
  backchannels: string;
  /** One of these takes the turn, however short. */
  stops: string;
  /** A sentence that begins so asks about something, and is over when it is over. "Can I …" and "do you have …" may go on. */
  asks: string;
  /** After these words nothing more is to come. */
  ends: string;
  /** Words after which a sentence goes on: conjunctions, articles, prepositions, particles, fillers. One word each. */
  goes_on: string;
};

/** By the first part of a language's code. Every language that agents speak is here. */
export const WORD_LISTS: Record<string, WordList> = {
  ar: {
    backchannels:
      "مم, نعم, ايوه, أيوه, أيوا, ايوا, طيب, تمام, حسنا, حسناً, اه, آه, أها, فهمت, صحيح, صح, أوكي, اوكي, ماشي",
    stops: "انتظر, انتظري, لحظة, دقيقة, ثانية, استنى, لا, توقف, قف, عفوا, عفواً, معذرة, لكن, بس, ماذا",
    asks: "متى, ماذا, أين, لماذا, كيف, كم, هل, وين, ليش, شو",
    ends: "من فضلك, لو سمحت, شكرا, شكراً, مع السلامة, السلام عليكم, مرحبا, هذا كل شيء, لا شيء, صباح الخير, مساء الخير",
    goes_on:
      "و, أو, لكن, لأن, إذا, أن, في, إلى, الى, من, على, عن, مع, أنا, نحن, أريد, يعني, ثم, بعد, قبل, عند",
  },
  bs: {
    backchannels:
      "mm, mhm, aha, da, dobro, u redu, jeste, jest, tako je, razumijem, ok, okej, jasno, naravno",
    stops:
      "čekajte, čekaj, sačekajte, stanite, stani, ne, stop, izvinite, oprostite, trenutak, samo malo, ali, šta",
    asks: "kada, kad, šta, što, gdje, ko, koji, koja, koje, zašto, kako, koliko",
    ends: "molim, molim vas, hvala, doviđenja, zdravo, dobar dan, dobro jutro, to je sve, ništa",
    goes_on:
      "i, ili, ali, jer, ako, u, na, s, sa, za, od, do, iz, moj, moja, moje, ja, mi, želim, trebam, pa, ovaj",
  },
  en: {
    backchannels:
      "mm, mhm, mm-hm, hm, hmm, uh-huh, uh huh, ok, okay, yeah, yes, yep, right, sure, i see, got it, ah, oh",
    stops: "wait, stop, no, hold on, sorry, excuse me, but, hang on, pardon, what, one moment",
    asks: "when, what, where, who, which, why, how",
    ends: "please, thanks, thank you, good morning, good afternoon, good evening, bye, goodbye, that's all, that is all, stop, hello, hi, nothing",
    goes_on:
      "and, or, but, so, because, if, the, a, an, to, for, at, on, in, of, with, my, is, it's, um, uh, er, well, like, i, we, they, he, she, am, are, would, want, need, make, book, have, has, your, our, between, from, about, i'd, i'm, i've, i'll, can, could, will",
  },
  es: {
    backchannels: "ajá, mm, mhm, sí, vale, ok, claro, ya, bueno, de acuerdo",
    stops: "espere, espera, no, pare, para, perdón, disculpe, un momento, pero",
    asks: "cuándo, qué, dónde, quién, cuál, cómo, cuánto, por qué",
    ends: "por favor, gracias, adiós, hola, nada más, hasta luego",
    goes_on:
      "y, o, pero, porque, si, que, el, la, los, las, un, una, a, para, en, de, con, mi, es, este, pues, eh",
  },
  fa: {
    backchannels: "هوم, اوهوم, بله, آره, باشه, خب, خوب, اوکی, درسته, متوجه شدم, فهمیدم, آها, صحیح",
    stops: "صبر کن, صبر کنید, وایسا, نه, خیر, ببخشید, یک لحظه, یه لحظه, ولی, اما, چی, بس",
    asks: "کی, چه, چی, کجا, کدام, چرا, چطور, چگونه, چقدر, چند, آیا",
    ends: "لطفا, لطفاً, ممنون, مرسی, متشکرم, تشکر, خداحافظ, سلام, همین",
    goes_on: "و, یا, ولی, اما, چون, اگر, اگه, که, در, به, از, با, برای, تا, من, ما, را, رو, یک, یه, این",
  },
  fr: {
    backchannels: "mm, mhm, oui, ouais, ok, d'accord, ah, voilà, je vois",
    stops: "attendez, attends, non, stop, arrêtez, pardon, un moment, mais",
    asks: "quand, que, où, qui, quel, quelle, comment, combien, pourquoi",
    ends: "s'il vous plaît, s'il te plaît, merci, au revoir, bonjour, c'est tout",
    goes_on: "et, ou, mais, si, que, le, la, les, un, une, à, pour, en, de, avec, mon, ma, est, euh, ben",
  },
  gu: {
    backchannels: "હમ્મ, હં, હા, હાં, જી, હા જી, જી હા, સારું, ઠીક, ઠીક છે, ઓકે, બરાબર, સમજી ગયો, સમજી ગઈ, અચ્છા",
    stops: "ઊભા રહો, થોભો, રોકાઓ, ના, એક મિનિટ, માફ કરશો, માફ કરો, પણ, શું, સાંભળો, બસ",
    asks: "ક્યારે, શું, ક્યાં, કોણ, કયું, કેમ, કેવી, કેટલા, કેટલું",
    ends: "આભાર, નમસ્તે, આવજો, મહેરબાની કરીને, પ્લીઝ, જોઈએ છે",
    goes_on: "અને, અથવા, કે, પણ, કારણ, જો, તો, નો, ની, નું, માં, થી, ને, હું, અમે, મારે, મારું, મારી, મને, એક, માટે",
  },
  hi: {
    backchannels:
      "हम्म, हूँ, हाँ, हां, जी, जी हाँ, जी हां, हाँ जी, हां जी, अच्छा, ठीक, ठीक है, ओके, सही, सही है, समझ गया, समझ गई, ओह",
    stops: "रुकिए, रुको, रुकें, ठहरिए, नहीं, एक मिनट, माफ़ कीजिए, सुनिए, लेकिन, मगर, क्या, बस",
    asks: "कब, क्या, कहाँ, कहां, कौन, कौनसा, क्यों, कैसे, कितना, कितने, कितनी",
    ends: "धन्यवाद, शुक्रिया, नमस्ते, कृपया, प्लीज़, प्लीज, दीजिए, चाहिए, अलविदा",
    goes_on:
      "और, या, लेकिन, मगर, क्योंकि, अगर, कि, का, की, के, को, में, से, पर, तक, मैं, हम, मुझे, मेरा, मेरी, मेरे, तो, वो, यह, एक, लिए",
  },
  ja: {
    backchannels:
      "はい, はいはい, ええ, うん, うんうん, へえ, ああ, あ, そう, そうです, そうですか, そうですね, なるほど, わかりました, 分かりました, 了解です, 了解, ほう, ふうん",
    stops:
      "待って, 待ってください, ちょっと, ちょっと待って, ちょっと待ってください, お待ちください, いや, いいえ, 違います, 違う, ストップ, 止めて, すみません, でも, もう一度",
    asks: "いつ, どこ, 誰, 何, なぜ, どうして, どう, いくら, 何時, どの",
    ends: "お願いします, おねがいします, ください, ありがとう, ありがとうございます, さようなら, こんにちは, です, ます, でした, ました, ですか, ますか",
    goes_on:
      "は, が, を, に, で, と, も, の, へ, から, まで, けど, けれど, けれども, ので, て, し, たら, なら, や, ですが, あの, その, まあ",
  },
  ko: {
    backchannels:
      "음, 네, 네네, 예, 예예, 응, 아, 아네, 어, 그렇군요, 맞아요, 알겠어요, 알겠습니다, 그래요, 좋아요",
    stops:
      "잠깐, 잠깐만, 잠깐만요, 잠시만, 잠시만요, 아니, 아니요, 아뇨, 아니오, 그만, 멈춰, 기다려, 기다려요, 죄송한데, 근데요, 뭐라고요",
    asks: "언제, 어디, 어디서, 누가, 무엇, 뭐, 왜, 어떻게, 얼마, 몇",
    ends: "감사합니다, 고마워요, 부탁해요, 부탁합니다, 부탁드립니다, 부탁드려요, 주세요, 해주세요, 안녕하세요, 안녕히 계세요, 됐어요, 없어요",
    goes_on: "그리고, 그런데, 근데, 하지만, 그래서, 왜냐하면, 만약, 저는, 제가, 저, 그, 어, 음, 제, 또, 또는",
  },
  ne: {
    backchannels: "हजुर, हो, ए, अँ, हुन्छ, ठीक छ, ठिक छ, ओके, बुझेँ, बुझें, राम्रो",
    stops: "पर्खनुहोस्, पर्ख, रोक्नुहोस्, होइन, हैन, एकछिन, माफ गर्नुहोस्, तर",
    asks: "कहिले, के, कहाँ, को, कुन, किन, कसरी, कति",
    ends: "धन्यवाद, नमस्ते, कृपया, त्यति हो, चाहियो, दिनुहोस्, गर्नुहोस्",
    goes_on:
      "र, वा, तर, किनभने, यदि, भने, को, का, की, मा, बाट, लाई, सँग, म, हामी, मलाई, मेरो, अनि, एक, लागि, त्यो, यो",
  },
  ru: {
    backchannels:
      "мм, мгм, ммм, угу, ага, да, так, ок, окей, хорошо, понятно, ясно, понял, поняла, ну да, конечно",
    stops:
      "подождите, подожди, погодите, стоп, стойте, стой, нет, извините, простите, минутку, секунду, но, что",
    asks: "когда, что, где, кто, какой, какая, какие, почему, как, сколько, куда, зачем",
    ends: "пожалуйста, спасибо, до свидания, здравствуйте, привет, это всё, это все, всё, ничего, доброе утро, добрый день, добрый вечер",
    goes_on:
      "и, или, но, а, потому, если, что, чтобы, в, на, с, к, для, у, о, по, из, от, до, за, мой, моя, мне, я, мы, он, она, это, ну, э, эм, хочу, хотел, хотела, нужно, надо",
  },
  sw: {
    backchannels: "mm, mhm, eeh, ee, ndiyo, ndio, sawa, sawa sawa, naam, haya, nimeelewa, ok, kweli, aha",
    stops: "subiri, ngoja, simama, hapana, samahani, lakini, acha, dakika moja, nini",
    asks: "lini, nini, wapi, nani, gani, kwa nini, vipi, ngapi",
    ends: "tafadhali, asante, asante sana, kwaheri, habari, ni hayo tu, basi, hujambo",
    goes_on:
      "na, au, lakini, kwa, sababu, kama, ya, wa, za, la, cha, katika, kwenye, mimi, sisi, nataka, ni, ili, halafu",
  },
  th: {
    backchannels:
      "อืม, อือ, ครับ, ค่ะ, คะ, ใช่, ใช่ครับ, ใช่ค่ะ, ครับครับ, ค่ะค่ะ, โอเค, อ๋อ, เข้าใจ, เข้าใจแล้ว, ได้, ได้ครับ, ได้ค่ะ",
    stops: "เดี๋ยว, เดี๋ยวก่อน, หยุด, ไม่, ไม่ใช่, รอ, รอก่อน, ขอโทษ, แต่, อะไรนะ",
    asks: "เมื่อไหร่, อะไร, ที่ไหน, ใคร, ทำไม, อย่างไร, ยังไง, เท่าไหร่, กี่",
    ends: "ครับ, ค่ะ, คะ, ขอบคุณ, สวัสดี, ไหม, มั้ย, แค่นี้",
    goes_on: "และ, หรือ, แต่, เพราะ, ถ้า, ที่, ของ, กับ, ใน, จาก, ผม, ฉัน, ดิฉัน, คือ, เอ่อ, อยาก, จะ, ว่า, ให้",
  },
  vi: {
    backchannels: "ừ, ừm, ờ, à, vâng, dạ, dạ vâng, ok, được, đúng, đúng rồi, rồi, hiểu rồi, thế à, phải",
    stops:
      "khoan, khoan đã, chờ, chờ đã, chờ chút, đợi, đợi đã, đợi chút, dừng, dừng lại, không, xin lỗi, nhưng, cái gì",
    asks: "khi nào, bao giờ, ai, tại sao, sao, thế nào, bao nhiêu, mấy",
    ends: "cảm ơn, tạm biệt, xin chào, ạ, không, hết rồi, thế thôi, nhé, chưa",
    goes_on:
      "và, hoặc, hay, nhưng, vì, nếu, là, của, cho, ở, với, từ, đến, tôi, muốn, cần, cái, thì, mà, để, trong, ờm",
  },
  yue: {
    backchannels: "嗯, 係, 係呀, 係啊, 哦, 啊, 好, 好呀, 好啊, 得, 啱, 明白, 知道",
    stops: "等等, 等陣, 等一等, 停, 唔係, 唔好, 唔好意思, 對唔住, 但係, 咩話",
    asks: "幾時, 咩, 乜嘢, 邊度, 邊個, 點解, 點樣, 幾多, 幾點",
    ends: "唔該, 唔該晒, 多謝, 多謝晒, 拜拜, 你好, 係咁多",
    goes_on: "同, 或者, 因為, 所以, 如果, 喺, 我, 我想, 想, 跟住",
  },
  zh: {
    backchannels:
      "嗯, 嗯嗯, 哦, 噢, 啊, 好, 好的, 是, 是的, 对, 对的, 行, 明白, 知道, 知道了, 了解, 没错, 對, 對的, 沒錯",
    stops:
      "等等, 等一下, 等下, 稍等, 停, 不, 不是, 不对, 不對, 不要, 慢着, 对不起, 對不起, 不好意思, 但是, 什么, 什麼",
    asks: "什么时候, 什么, 哪里, 哪儿, 谁, 哪个, 为什么, 怎么, 多少, 几点, 什麼, 哪裡, 誰, 為什麼, 怎麼, 幾點",
    ends: "谢谢, 谢谢你, 谢谢您, 謝謝, 謝謝您, 再见, 再見, 你好, 您好, 没有了, 没了, 就这样, 就这些, 吗, 嗎, 呢",
    goes_on:
      "和, 或者, 但是, 因为, 因為, 所以, 如果, 在, 跟, 给, 給, 我, 我想, 我们, 我們, 想, 那个, 那個, 这个, 這個, 呃, 然后, 然後, 还有, 還有, 从, 從, 到, 把",
  },
};
