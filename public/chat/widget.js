// @ts-check
/**
 * Puts a chat on any site, in a frame of its own:
 *
 *   <script src="https://parley.example/chat/widget.js" data-target="demo-clinic" async></script>
 *
 * data-target    which chat
 * data-position  bottom-right (as if not given) or bottom-left
 * data-color     of the button and the visitor's words: #0f766e
 * data-label     on the button, beside the drawing
 * data-language  of the chat's own words, such as es; left out: the language of the site (`<html lang>`), else the browser's
 * data-identity  who the visitor is: an identity token that your server has signed
 *
 * The site has to be registered with the chat's channel (`allowed_origins`). From the site's own code: `Parley.open()`,
 * `Parley.close()`, `Parley.identify(token)` when somebody has signed in (null: out), and `document.addEventListener("parley:press", …)`, which tells of a card's button: its `actionId`
 * and `text`.
 */
(() => {
  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const target = script?.dataset.target;
  // An element of the site's that is called so is found in `window`, too, but is none of its own properties.
  if (!script || !target || Object.hasOwn(window, "Parley")) return;

  const { origin } = new URL(script.src);
  const { position, color = "", label = "", identity: given = "", language = "" } = script.dataset;
  const accent = /^#[0-9a-f]{6}$/i.test(color) ? color.slice(1) : null;
  const page = `${origin}/chat/${encodeURIComponent(target)}`;
  /** An open chat stays open on the site's next page. */
  const openKey = `parley.open.${target}`;
  /** Which session it is, where the browser gives the frame no memory of its own. */
  const chatKey = `parley.chat.${target}`;
  /** How long a frame may take after it has loaded, and at all. */
  const READY_MS = 1_500;
  const PATIENCE_MS = 20_000;
  /** The button's name where the site gives it none, in the languages of `texts/`. */
  const OPEN_CHAT = {
    ar: "فتح المحادثة",
    bs: "Otvori razgovor",
    de: "Chat öffnen",
    en: "Open chat",
    es: "Abrir el chat",
    fa: "باز کردن گفت‌وگو",
    fr: "Ouvrir le chat",
    gu: "ચેટ ખોલો",
    hi: "चैट खोलें",
    it: "Apri la chat",
    ja: "チャットを開く",
    ko: "채팅 열기",
    ne: "च्याट खोल्नुहोस्",
    nl: "Chat openen",
    pt: "Abrir a conversa",
    ru: "Открыть чат",
    sw: "Fungua gumzo",
    th: "เปิดแชต",
    vi: "Mở trò chuyện",
    yue: "開啟對話",
    zh: "打开对话",
  };
  const spoken = language || document.documentElement.lang;

  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  dress();
  const panel = make("div", { id: "panel", role: "dialog", "aria-label": label || "Chat", hidden: "" });
  const launcher = make("button", { id: "launcher", type: "button", "aria-expanded": "false" });
  launcher.setAttribute("aria-controls", "panel");
  launcher.append(
    drawing("closed", "M4 5h16v11H10l-5 4v-4H4z"),
    drawing("opened", "m6 9 6 6 6-6"),
    make("span", label ? {} : { class: "unseen" }, label || openChat()),
    make("i", { hidden: "" }),
  );
  const badge = /** @type {HTMLElement} */ (launcher.lastChild);
  root.append(panel, launcher);
  if (position === "bottom-left") host.dataset.left = "";
  if (accent) {
    host.style.setProperty("--accent", `#${accent}`);
    host.style.setProperty("--on-accent", isLight(accent) ? "#111418" : "#ffffff");
  }

  /** Signed by the site's server: who the visitor is. */
  let identity = given;
  /** @type {HTMLIFrameElement | null} */
  let frame = null;
  /** Whether the frame has told that it is our page, and not the browser's words on why it was refused. */
  let ready = false;

  /** @param {boolean} focus */
  function open(focus) {
    frame ??= createFrame();
    show(true);
    if (focus) focusFrame();
  }

  function close() {
    if (panel.hidden) return;
    show(false);
    launcher.focus();
  }

  /** @param {boolean} shown */
  function show(shown) {
    panel.hidden = !shown;
    launcher.setAttribute("aria-expanded", String(shown));
    if (shown) badge.hidden = true;
    remember(() => sessionStorage.setItem(openKey, shown ? "1" : ""));
  }

  /** Made when first wanted: a visitor who never opens the chat loads nothing. */
  function createFrame() {
    const made = /** @type {HTMLIFrameElement} */ (
      make("iframe", { title: label || "Chat", allow: "microphone" })
    );
    const proof = identity ? `#identity=${encodeURIComponent(identity)}` : "";
    made.src = `${page}?embed=1&language=${encodeURIComponent(spoken)}${accent ? `&accent=${accent}` : ""}${proof}`;
    panel.replaceChildren(made);
    const judge = () => {
      if (frame !== made || ready) return;
      // biome-ignore lint/suspicious/noConsole: for the site's author, whose page this is; visitors read the words below
      console.warn(
        `The chat was not shown. Is ${location.origin} among the "Allowed sites" of its channel in Parley?`,
      );
      const elsewhere = make("a", { href: page, target: "_blank", rel: "noopener" }, "Open it in a new tab");
      made.replaceWith(make("p", {}, "The chat can't be shown here right now. ", elsewhere));
      // Perhaps the visitor was offline: who opens the chat again tries again.
      frame = null;
    };
    made.addEventListener("load", () => setTimeout(judge, READY_MS));
    setTimeout(judge, PATIENCE_MS);
    return made;
  }

  /** Another visitor is another chat: the frame there is goes. @param {string | null} token */
  function identify(token) {
    if ((token ?? "") === identity) return;
    identity = token ?? "";
    panel.replaceChildren();
    frame = null;
    setReady(false);
    if (!panel.hidden) open(false);
  }

  /** Until our page is there, with a button of its own that closes it, a phone shows the launcher over it. @param {boolean} isThere */
  function setReady(isThere) {
    ready = isThere;
    host.toggleAttribute("data-ready", isThere);
  }

  function focusFrame() {
    frame?.focus();
    if (ready) frame?.contentWindow?.postMessage({ parley: true, type: "shown" }, origin);
  }

  window.addEventListener("message", ({ source, origin: from, data }) => {
    if (!frame || source !== frame.contentWindow || from !== origin || !data?.parley) return;
    if (data.type === "ready") {
      setReady(true);
      if (root.activeElement === frame) focusFrame();
    } else if (data.type === "close") close();
    else if (data.type === "said") badge.hidden = !panel.hidden;
    else if (data.type === "keep") remember(() => localStorage.setItem(chatKey, String(data.text)));
    else if (data.type === "recall") {
      const text = remember(() => localStorage.getItem(chatKey)) ?? null;
      frame.contentWindow?.postMessage({ parley: true, type: "memory", text }, origin);
    } else if (data.type === "press") {
      const { actionId, text } = data;
      document.dispatchEvent(new CustomEvent("parley:press", { detail: { actionId, text } }));
    }
  });
  launcher.addEventListener("click", () => (panel.hidden ? open(true) : close()));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) close();
  });

  Object.assign(window, { Parley: { open: () => open(true), close, identify } });
  /** Some sites show their next page by putting another body, or other content, in the place of this one. */
  // A moment later: a script of the site's that takes it out each time would else stop the page.
  const kept = new MutationObserver(() => setTimeout(keepAttached));
  function keepAttached() {
    if (!document.body || (host.isConnected && host.parentNode === document.body)) return;
    // A frame that was taken out is loaded anew, and finds its chat again.
    document.body.append(host);
    kept.observe(document.documentElement, { childList: true });
    kept.observe(document.body, { childList: true });
  }
  const attach = () => {
    keepAttached();
    if (remember(() => sessionStorage.getItem(openKey))) open(false);
  };
  if (document.body) attach();
  else document.addEventListener("DOMContentLoaded", attach);

  /** A browser may keep nothing: then each page of the site begins anew. @template T @param {() => T} use */
  function remember(use) {
    try {
      return use();
    } catch {
      return undefined;
    }
  }

  /** @param {string} tag @param {Record<string, string>} attributes @param {(Node | string)[]} children */
  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  /** @param {string} name @param {string} path */
  function drawing(name, path) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", name);
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
  }

  /** In the first language that it is written in, of what the site and then the browser ask for. */
  function openChat() {
    const wanted = [spoken, ...navigator.languages].map((tag) => {
      if (/^zh\b.*[-_](hk|mo)$/i.test(tag)) return "yue";
      const main = tag.toLowerCase().split(/[-_]/)[0] ?? "";
      return main === "hr" || main === "sr" ? "bs" : main;
    });
    const known = /** @type {keyof typeof OPEN_CHAT | undefined} */ (
      wanted.find((main) => Object.hasOwn(OPEN_CHAT, main))
    );
    return OPEN_CHAT[known ?? "en"];
  }

  /** Whether black is easier to read on it than white (WCAG 2). @param {string} hex */
  function isLight(hex) {
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  }

  /**
   * A sheet made in script passes the site's own Content-Security-Policy; the shadow keeps its other styles out. Only the
   * element around it is the site's to style, as in `* { all: unset }`: its rules win over ours unless ours are important.
   * Safari before 16.4 can't make such a sheet; there the site's policy has to allow an element.
   */
  function dress() {
    const rules = styles();
    try {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rules);
      root.adoptedStyleSheets = [sheet];
    } catch {
      root.append(make("style", {}, rules));
    }
  }

  function styles() {
    return `
      :host { all: initial !important; display: block !important; position: fixed !important;
        z-index: 2147483000 !important; inset: auto 20px 20px auto !important;
        font: 500 16px/1.2 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif !important;
        color-scheme: light dark !important; }
      :host([data-left]) { inset: auto auto 20px 20px !important; }
      [hidden] { display: none !important; }
      .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      #launcher { position: relative; display: flex; align-items: center; gap: 10px; height: 56px; min-width: 56px;
        margin-inline-start: auto; padding: 0 15px; border: 0; border-radius: 28px; font: inherit; cursor: pointer;
        color: var(--on-accent, #fff); background: var(--accent, #1756c4);
        box-shadow: 0 1px 3px rgb(16 24 40 / 20%), 0 8px 24px rgb(16 24 40 / 22%); }
      :host([data-left]) #launcher { margin-inline: 0 auto; }
      #launcher > span:not(.unseen) { padding-inline-end: 6px; }
      #launcher:hover { filter: brightness(0.94); }
      #launcher:focus-visible { outline: 3px solid #fff; outline-offset: -6px; box-shadow: 0 0 0 3px #1756c4; }
      #launcher svg { width: 26px; height: 26px; fill: none; stroke: currentcolor; stroke-width: 1.8;
        stroke-linecap: round; stroke-linejoin: round; }
      #launcher[aria-expanded="true"] .closed, #launcher[aria-expanded="false"] .opened { display: none; }
      #launcher i { position: absolute; inset: 0 0 auto auto; width: 14px; height: 14px; border-radius: 50%;
        border: 2px solid #fff; background: #d92d20; }
      #panel { position: absolute; inset: auto 0 72px auto; width: min(400px, 100vw - 40px);
        height: min(660px, 100dvh - 112px); overflow: hidden; border-radius: 20px; background: Canvas;
        box-shadow: 0 2px 6px rgb(16 24 40 / 12%), 0 20px 56px rgb(16 24 40 / 26%); }
      :host([data-left]) #panel { inset: auto auto 72px 0; }
      #panel p { padding: 24px; margin: 0; color: CanvasText; font-weight: 400; line-height: 1.5; }
      iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: light dark; }
      @media (max-width: 480px) {
        #panel, :host([data-left]) #panel { position: fixed; inset: 0; width: auto; height: 100dvh; border-radius: 0; }
        :host([data-ready]) #launcher[aria-expanded="true"] { display: none; }
      }`;
  }
})();
