/** Most bytes of a result as it is sent (decisions, section 5, "ai_text"). */
export const MAX_RESULT_BYTES = 1024 * 1024;

/** The media type of a result that has the form of the API's `RunResult`. */
export const RESULT_TYPE = 'application/vnd.quire.result+json';

export interface ResultContent {
  readonly content: string;
  readonly content_type: string;
  readonly model: string | null;
  readonly finish_reason: string | null;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
    | null;
  readonly truncated: boolean;
}

/** Characters that are measured in one step. */
const SLICE = 16 * 1024;

/** The JSON of a result; the end of its content is cut off if it does not fit. */
export function fitResult(result: ResultContent): Buffer {
  const whole = Buffer.from(JSON.stringify(result));
  if (whole.length <= MAX_RESULT_BYTES) return whole;
  const frame = Buffer.byteLength(JSON.stringify({ ...result, content: '', truncated: true }));
  const content = startOfSize(result.content, MAX_RESULT_BYTES - frame);
  return Buffer.from(JSON.stringify({ ...result, content, truncated: true }));
}

/** The longest prefix of a text whose JSON has at most this many bytes. */
function startOfSize(text: string, bytes: number): string {
  let end = 0;
  let room = bytes;
  for (let step = SLICE; step >= 1;) {
    const next = wholeCharacter(text, Math.min(text.length, end + step));
    const size = Buffer.byteLength(JSON.stringify(text.slice(end, next))) - 2;
    if (next > end && size <= room) {
      end = next;
      room -= size;
    } else {
      step = Math.floor(step / 2);
    }
  }
  return text.slice(0, end);
}

/** A position that does not split a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const halves = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return halves ? at + 1 : at;
}
