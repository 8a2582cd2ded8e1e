const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  1: true,
  yes: true,
  on: true,
  enable: true,
  false: false,
  0: false,
  no: false,
  off: false,
  disable: false,
};

/**
 * The forms of a switch, in any case: true/false, 1/0, yes/no, on/off, enable/disable. Returns undefined for other
 * texts.
 */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}
