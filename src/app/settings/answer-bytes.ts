import type { Settings } from './index.ts';

/** Assumed bytes per token, as in `contextTokenBudget`. */
const BYTES_PER_TOKEN = 4;

/** Most bytes of a tool's result. */
export function mcpAnswerBytes({ mcp }: Settings): number {
  return mcp.maxAnswerTokens * BYTES_PER_TOKEN;
}
