import { ServiceError } from '../../../errors/index.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import type { Log } from '../../../lib/log.ts';
import type { Permits } from '../../../operations/index.ts';
import { type CallContext, callerOf } from './call-context.ts';
import { INVALID_PARAMS, McpFault } from './fault.ts';
import { failure, type ToolResult } from './results.ts';
import type { Arguments, Tool, ToolDefinition } from './tool.ts';
import type { Tools } from './tools.ts';

/** How a call of a tool ended, for metrics. */
export interface ToolCall {
  readonly tool: string;
  readonly outcome: 'ok' | 'error';
}

export interface ToolBookOptions {
  /** Which operations a caller may use. */
  readonly permits: Permits;
  readonly log: Log;
  readonly observe: (call: ToolCall) => void;
}

/** The tools of a server: lists them and calls them. */
export class ToolBook {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #listed: readonly Tool[];
  readonly #permits: Permits;
  readonly #log: Log;
  readonly #observe: (call: ToolCall) => void;

  constructor({ listed, callable }: Tools, { permits, log, observe }: ToolBookOptions) {
    this.#tools = new Map(callable.map((tool) => [tool.definition.name, tool]));
    this.#listed = listed;
    this.#permits = permits;
    this.#log = log;
    this.#observe = observe;
  }

  /** One page of the tools that can work for the caller: implemented, enabled, and allowed on some collection. */
  async list(cursor: string | undefined,
    context: CallContext): Promise<{ tools: ToolDefinition[]; nextCursor?: string }>
  {
    const permitted = await this.#permits(callerOf(context));
    const tools = this.#listed.filter(({ needs }) => needs.every(permitted));
    const { items, ...rest } = pageOf(tools.map(({ definition }) => definition), cursor);
    return { tools: items, ...rest };
  }

  /**
   * A failure within the tool is a result, from which the model can learn; an unknown name is an error of the protocol.
   */
  async call(name: string, args: Arguments, context: CallContext): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool === undefined)
      throw new McpFault(INVALID_PARAMS, `unknown tool: ${name.slice(0, 128)}${didYouMean(name, this.#tools.keys())}`);
    try {
      const result = await tool.call(args, context);
      this.#observe({ tool: name, outcome: 'ok' });
      return result;
    } catch (error) {
      this.#observe({ tool: name, outcome: 'error' });
      // The result of an aborted call is discarded.
      if (context.signal.aborted) throw error;
      return failure(this.#toServiceError(name, error, context));
    }
  }

  #toServiceError(tool: string, thrown: unknown, context: CallContext): ServiceError {
    const error = thrown instanceof ServiceError
      ? thrown
      : new ServiceError('internal', 'internal error', { cause: thrown });
    if (error.status >= 500 && error.code !== 'not_implemented') {
      this.#log.error({ requestId: callerOf(context).requestId, tool, code: error.code, err: error.cause ?? thrown },
        'tool failed');
    }
    return error;
  }
}

/** Entries in one response to a list request (decisions, section 4.14). */
export const PAGE_SIZE = 100;

/** One page of a list; the cursor is opaque to clients and identifies the start of the next page. */
export function pageOf<T>(all: readonly T[], cursor: string | undefined): { items: T[]; nextCursor?: string } {
  const start = cursor === undefined ? 0 : positionOf(cursor, all.length);
  const end = start + PAGE_SIZE;
  return {
    items: all.slice(start, end),
    ...(end < all.length ? { nextCursor: Buffer.from(`at:${end}`).toString('base64url') } : {}),
  };
}

function positionOf(cursor: string, length: number): number {
  const match = /^at:(\d{1,9})$/.exec(cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString());
  const position = match === null ? -1 : Number(match[1]);
  if (position <= 0 || position >= length || position % PAGE_SIZE !== 0)
    throw new McpFault(INVALID_PARAMS, 'cursor is not one of this server');
  return position;
}
