/** The content policy's nonce: style sheets created at run time need it. */
export const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? "";
