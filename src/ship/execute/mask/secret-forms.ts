/** Shorter values are too common in ordinary output to be masked (Buildkite's limit). */
const MIN_SECRET_LENGTH = 6;
/** Line widths of `base64` programs: the default of coreutils, and the width of PEM (RFC 7468). */
const BASE64_WIDTHS = [76, 64];

/** Whether the value of a variable with this name counts as a secret (decisions, section 5, "Masking"). */
export function isSecretName(name: string): boolean {
  return /_(?:TOKEN|SECRET|PASSWORD|KEY)$/i.test(name);
}

/**
 * All forms of these values to mask, as UTF-8: the values and their lines, each unchanged, in base64, and escaped for URLs and for JSON. Forms of
 * fewer than six characters are left out.
 */
export function secretForms(values: Iterable<string>): Buffer[] {
  const forms = new Set<string>();
  for (const value of values) {
    const lines = value.split(/\r\n|\n|\r/);
    for (const text of new Set([value, value.trim(), lines.join('\n').trim(), ...lines.map((line) => line.trim())])) {
      if (text.trim().length < MIN_SECRET_LENGTH) continue;
      for (const form of [text, ...urlForms(text), ...jsonForms(text), ...base64Forms(text)]) forms.add(form);
    }
  }
  return [...forms].filter((form) => form.length >= MIN_SECRET_LENGTH).map((form) => Buffer.from(form));
}

/** RFC 3986, its stricter and laxer interpretations, and HTML forms; hexadecimal digits in both cases. */
function urlForms(text: string): string[] {
  const whole = encodeURIComponent(text.toWellFormed());
  const strict = whole.replace(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [whole, strict, encodeURI(text.toWellFormed()), strict.replaceAll('%20', '+').replaceAll('%2A', '*')];
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())]);
}

/** The forms that JSON writers produce: plain, with slashes escaped, with HTML's characters escaped, and with all non-ASCII characters escaped. */
function jsonForms(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = escapeChars(plain, /[^\x00-\x7e]/g);
  const html = [plain, ascii].map((form) => escapeChars(form, /[<>&]/g));
  return [plain, ascii, ...html, ...[plain, ascii].map((form) => form.replaceAll('/', '\\/'))];
}

function escapeChars(text: string, chars: RegExp): string {
  return text.replace(chars, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Base64 encodes groups of three bytes, so a value inside other text has three forms, depending on its position in the first group. Characters that
 * depend on the neighbours of the value are left out.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [bytes.toString('base64'), ...[0, 1, 2].map((before) => insideOfBase64(bytes, before))];
  const inLines = BASE64_WIDTHS.flatMap((width) => forms[1]!.match(new RegExp(`.{1,${width}}`, 'g')) ?? []);
  return [...forms, ...inLines].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

function insideOfBase64(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64').replaceAll('=', '');
  const first = Math.ceil((before * 8) / 6);
  return encoded.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
}
