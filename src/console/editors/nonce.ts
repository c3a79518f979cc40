/** The one nonce under which the page's policy allows style sheets that are made while it runs. */
export const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? "";
