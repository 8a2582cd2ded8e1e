import { createRequire } from 'node:module';

/** The most bytes of a text that are looked at; more do not change a guess. */
const SAMPLE = 64 * 1024;
/** Below this confidence the detector has seen too few letters, and windows-1252 is the likeliest by far. */
const LEAST_CONFIDENCE = 0.09;
/** What the detector names differently than the Encoding standard, each with the superset that files are in. */
const LABELS: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
  'tis-620': 'windows-874',
  'big5-hkscs': 'big5',
  gbk: 'gb18030',
  gb2312: 'gb18030',
  'koi8-r': 'koi8-u',
};
/** Encodings of text files that `TextDecoder` supports; the detector knows those of mainframes, too. */
const CANDIDATES = ['utf-8', 'iso-2022-jp', 'cp932', 'euc-jp', 'gb18030', 'big5hkscs', 'cp949', 'koi8-r', 'koi8-u',
  'cp866', 'cp874', ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((page) => `cp125${page}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 15, 16].map((part) => `iso8859-${part}`)];

interface Detector {
  detect(bytes: Uint8Array,
    options: { includeEncodings: readonly string[] }): { encoding: string | null; confidence: number };
}

let detector: Detector | undefined;

/** The likeliest encoding of a text that is not UTF-8 and has no byte order mark, as the Encoding standard names it. */
export function guessEncoding(bytes: Uint8Array): string {
  // Loaded with the first such file; the published package has the CommonJS build alone.
  detector ??= createRequire(import.meta.url)('jschardet') as Detector;
  const { encoding, confidence } = detector.detect(telling(bytes), { includeEncodings: CANDIDATES });
  const name = encoding?.toLowerCase().replace(/^iso8859/, 'iso-8859') ?? '';
  const label = LABELS[name] ?? name;
  return confidence < LEAST_CONFIDENCE || !isDecodable(label) ? 'windows-1252' : new TextDecoder(label).encoding;
}

function isDecodable(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/** The lines that are not ASCII, because a few letters among much English or code are not noticed otherwise. */
function telling(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE);
  let length = 0;
  for (let start = 0; start < bytes.length && length < SAMPLE;) {
    const next = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, next < 0 ? bytes.length : next + 1);
    start += line.length;
    if (!line.some(isForeign)) continue;
    const part = line.subarray(0, SAMPLE - length);
    sample.set(part, length);
    length += part.length;
  }
  return sample.subarray(0, length);
}

function isForeign(byte: number): boolean {
  return byte >= 0x80 || byte === 0x1b;
}

/**
 * The byte order of UTF-16 without a byte order mark; undefined for other bytes. Such text has spaces, line ends or
 * full stops, which bring bytes below 3, and it is no text in the other order or as something else.
 */
export function orderOfUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 2 || bytes.length % 2 !== 0) return undefined;
  const sample = bytes.subarray(0, SAMPLE);
  if (![0, 1, 2].some((byte) => sample.includes(byte)) || isMostlyAscii(sample)) return undefined;
  const [little, big] = (['utf-16le', 'utf-16be'] as const).map((encoding) => ({
    encoding,
    usual: usualIn(new TextDecoder(encoding).decode(sample)),
  }));
  const better = little!.usual >= big!.usual ? little! : big!;
  return better.usual > 0 ? better.encoding : undefined;
}

/** Bytes of ASCII: all of a text in a byte encoding of the West, half of one in UTF-16. */
const MOST_ASCII = 0.8;

function isMostlyAscii(bytes: Uint8Array): boolean {
  let count = 0;
  for (const byte of bytes) if (byte >= 0x20 && byte < 0x7f) count += 1;
  return count > bytes.length * MOST_ASCII;
}

/** Characters that hardly any text has: controls, surrogates alone, unassigned and private code points. */
const UNUSUAL = /[^\P{C}\p{Cf}\t\n\f\r\u001b]|\ufffd/gu;
const UNUSUAL_SHARE = 0.005;

/** The number of characters that nearly every text has; 0 for what is no text. */
function usualIn(text: string): number {
  // A pair of surrogates that the end of the sample cuts is no fault of the text.
  const unusual = text.replace(/\ufffd$/, '').match(UNUSUAL)?.length ?? 0;
  return unusual > text.length * UNUSUAL_SHARE ? 0 : (text.match(/[\n -~、。]/g)?.length ?? 0);
}
