import type { Settings } from './index.ts';

/** Tokens are taken for so many bytes, as in `contextTokenBudget`. */
const BYTES_PER_TOKEN = 4;

/** Bytes that the answer of a tool may have. */
export function mcpAnswerBytes({ mcp }: Settings): number {
  return mcp.maxAnswerTokens * BYTES_PER_TOKEN;
}
