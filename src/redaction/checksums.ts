/** ISO/IEC 7812: every second digit from the right is doubled. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, doubled = false; at >= 0; at--, doubled = !doubled) {
    const digit = digits.charCodeAt(at) - 48;
    sum += doubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** ISO 13616: the remainder by 97 with one more character, where letters count from 10. */
export function ibanRest(rest: number, character: string): number {
  const value = Number.parseInt(character, 36);
  return (rest * (value > 9 ? 100 : 10) + value) % 97;
}

/** `rest` is that of all after the first four characters, which come last. */
export const isIban = (head: string, rest: number): boolean => [...head].reduce(ibanRest, rest) === 1;

const SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";

/** DNI, and NIE with X, Y or Z in place of its first digit. */
export function isSpanishId(number: string, letter: string): boolean {
  const digits = number.replace(/^[XYZ]/i, (first) => String("XYZ".indexOf(first.toUpperCase())));
  return SPANISH_LETTERS[Number(digits) % 23] === letter.toUpperCase();
}

/** Steuer-Identifikationsnummer: ISO 7064, MOD 11,10. */
export function isGermanTaxId(digits: string): boolean {
  if (digits.length !== 11 || digits[0] === "0") return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

/** Numéro de sécurité sociale: 13 characters (2A and 2B for Corsica) and a key of two digits. */
export function isFrenchId(number: string, key: string): boolean {
  const digits = number.toUpperCase().replace("2A", "19").replace("2B", "18");
  return 97 - Number(BigInt(digits) % 97n) === Number(key);
}
