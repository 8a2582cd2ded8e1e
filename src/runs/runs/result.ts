import type { RunResult } from '../../../generated/runs/sdk/types.gen.ts';

/** Type of a result that already is a `RunResult`, as the executor of `ai_text` reports it. */
const RESULT_TYPE = 'application/vnd.quire.result+json';

/** A stored result in the form of the API. The result of a pipeline is text of any type. */
export function presentResult({ body, type }: { readonly body: Uint8Array; readonly type: string }): RunResult {
  const text = new TextDecoder().decode(body);
  const plain: RunResult = {
    content: text,
    content_type: type,
    value: type === 'application/json' ? parse(text) : null,
    model: null,
    finish_reason: null,
    usage: null,
    truncated: false,
  };
  if (type !== RESULT_TYPE) return plain;
  const known = JSON.parse(text) as Partial<RunResult>;
  return {
    content: known.content ?? '',
    content_type: known.content_type ?? 'text/plain',
    value: null,
    model: known.model ?? null,
    finish_reason: known.finish_reason ?? null,
    usage: known.usage ?? null,
    truncated: known.truncated ?? false,
  };
}

/** Null if the type says JSON and the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
