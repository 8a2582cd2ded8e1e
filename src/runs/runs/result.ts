import type { RunResult } from '../../../generated/runs/sdk/types.gen.ts';

/** Type of a result that is a `RunResult` already, as the executor of `ai_text` reports it. */
const RESULT_TYPE = 'application/vnd.quire.result+json';

/** A stored result as the API shows it. That of a pipeline is text of some type. */
export function presentResult({ body, type }: { readonly body: Uint8Array; readonly type: string }): RunResult {
  const text = new TextDecoder().decode(body);
  const plain: RunResult = { content: text, content_type: type, value: type === 'application/json' ? parse(text) : null, model: null, finish_reason: null, usage: null, truncated: false };
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

/** Null for what calls itself JSON and is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
