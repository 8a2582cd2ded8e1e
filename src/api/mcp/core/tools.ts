import { tools as BUILT_IN, type ToolSpec } from '../../../../generated/mcp/tools.ts';
import type { ServiceError } from '../../../errors/index.ts';
import type { Timer } from '../../../lib/clock.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import type { Log } from '../../../lib/log.ts';
import { DEFAULT_ANSWER_BYTES, isFault, type Permits, toServiceError } from '../../../operations/index.ts';
import { type CustomTool, customTool } from '../custom/custom-tools.ts';
import { CORE_NAMES, createCoreTools } from '../models/index.ts';
import { ArgumentReader, type JsonSchema } from './arguments.ts';
import { type CallContext, callerOf } from './call-context.ts';
import { INVALID_PARAMS, McpFault } from './fault.ts';
import { operationTool } from './operation-tool.ts';
import { type AnyInvoke, type Arguments, failure, type Tool, type ToolDefinition, type ToolResult } from './tool.ts';

/** The generated schemas of the tools, by name (`generated/mcp/tools.json`). */
export type ToolSchemas = Readonly<
  Record<string, { readonly inputSchema: JsonSchema; readonly outputSchema: JsonSchema }>
>;

interface ToolOptions {
  readonly schemas: ToolSchemas;
  /** JSON schemas of the operations' inputs, by operation id. */
  readonly inputs: Readonly<Record<string, JsonSchema>>;
  readonly invoke: AnyInvoke;
  readonly custom: readonly CustomTool[];
  /** Whether the built-in tools are listed (`SVC_MCP_BUILTIN_TOOLS`); custom tools work without them. */
  readonly builtIn: boolean;
  readonly toolset: Toolset;
  /** Language of a document if a call contains none. */
  readonly defaultLang: string;
  readonly timer: Timer;
  /** Most bytes of a result; the default is that of `AnswerBudget`. */
  readonly answerBytes?: number | undefined;
}

/** Names that custom tools must not use. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set(BUILT_IN.map(({ name }) => name));

/** The operation of a built-in tool. */
export function operationOf(name: string): string {
  return BUILT_IN.find((tool) => tool.name === name)!.operation;
}

/** The tools of a server. */
interface Tools {
  /** In the order in which they are listed, restricted to those that the caller may use. */
  readonly listed: readonly Tool[];
  /** All tools that can be called by name, including the listed ones. */
  readonly callable: readonly Tool[];
}

/**
 * The core tools, the tools of the operations in the order of the specification, and the custom tools, which may
 * replace a core tool.
 */
export function createTools(options: ToolOptions): Tools {
  const { inputs, invoke, custom, builtIn, toolset, defaultLang } = options;
  const ofOperations = new Map(BUILT_IN.map((spec) => [spec.name, operationToolOf(spec, options)]));
  const own = custom.map((spec) => customTool(spec, ofOperations.get(spec.action)!, inputs[operationOf(spec.action)]!));
  if (!builtIn) return { listed: own, callable: own };
  const replaced = new Set(own.map(({ definition }) => definition.name));
  const core = createCoreTools({ invoke, defaultLang, mostAnswerBytes: options.answerBytes ?? DEFAULT_ANSWER_BYTES })
    .filter(({ definition }) => !replaced.has(definition.name));
  const all = [...core, ...ofOperations.values()];
  return {
    listed: [...all.filter(({ definition }) => isListed(toolset, definition.name)), ...own],
    callable: [...all.filter(({ definition }) => mayBeCalled(toolset, definition.name)), ...own],
  };
}

function operationToolOf(spec: ToolSpec, { schemas, inputs, invoke, timer, answerBytes }: ToolOptions): Tool {
  const { name, title, description, annotations } = spec;
  const definition = { name, title, description, ...schemas[name]!, annotations };
  return operationTool({
    spec,
    definition,
    arguments: new ArgumentReader(inputs[spec.operation]!),
    invoke,
    timer,
    answerBytes,
  });
}

/** Which tools are listed (`SVC_MCP_TOOLSET`); custom tools always are. */
export interface Toolset {
  readonly listed: ReadonlySet<string>;
  /**
   * True if tools that are not listed cannot be called: if the setting names at least one single tool, not only sets.
   */
  readonly isClosed: boolean;
}

/** Sets of tools, by their names. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  core: CORE_NAMES,
  full: BUILT_IN.map(({ name }) => name),
};

/** Parses names of tools and of sets. A problem is a readable description of an invalid name. */
export function parseToolset(names: readonly string[]): { readonly toolset: Toolset; readonly problem?: string } {
  const known = [...Object.keys(SETS), ...Object.values(SETS).flat()];
  const unknown = names.find((name) => !known.includes(name));
  const listed = new Set(names.flatMap((name) => (Object.hasOwn(SETS, name) ? SETS[name]! : [name])));
  const toolset = { listed, isClosed: names.some((name) => !Object.hasOwn(SETS, name)) };
  if (unknown !== undefined)
    return { toolset, problem: `"${unknown}" is neither core, full nor a tool${didYouMean(unknown, known)}` };
  if (names.length === 0)
    return { toolset, problem: 'names no tool; for custom tools alone, set SVC_MCP_BUILTIN_TOOLS=false' };
  return { toolset };
}

function isListed({ listed }: Toolset, name: string): boolean {
  return listed.has(name);
}

/** The sets hide tools that few models need; a client that knows the name of one may still call it. */
function mayBeCalled({ listed, isClosed }: Toolset, name: string): boolean {
  return !isClosed || listed.has(name);
}

/** How a call of a tool ended, for metrics. */
export interface ToolCall {
  readonly tool: string;
  readonly outcome: 'ok' | 'error';
}

interface ToolBookOptions {
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
    const error = toServiceError(thrown);
    if (isFault(error)) {
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
    nextCursor: end < all.length ? Buffer.from(`at:${end}`).toString('base64url') : undefined,
  };
}

function positionOf(cursor: string, length: number): number {
  const match = /^at:(\d{1,9})$/.exec(cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString());
  const position = match === null ? -1 : Number(match[1]);
  if (position <= 0 || position >= length || position % PAGE_SIZE !== 0)
    throw new McpFault(INVALID_PARAMS, 'cursor is not one of this server');
  return position;
}
