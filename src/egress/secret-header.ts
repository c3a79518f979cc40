/** A header whose name has one of these words carries a secret: X-Auth-Token, Ocp-Apim-Subscription-Key, PRIVATE-TOKEN. */
const SECRET_NAME =
  /(?:^|[-_.])(?:auth|authorization|authentication|cookie|credentials?|jwt|bearer|passwd|pwd|x?(?:api|access|auth|client|private|secret|subscription)?(?:key|token|secret|password))(?:[-_.]|$)/i;
/** Whatever the header is called. */
const SECRET_VALUE = /^\s*(?:bearer|basic|digest|token|apikey|negotiate|aws4-hmac-sha256)\s+\S/i;

/** Whether an HTTP header carries a credential, which is kept by a service. Pure. */
export const isSecretHeader = ([name, value]: [string, string]): boolean =>
  SECRET_NAME.test(name) || SECRET_VALUE.test(value);
