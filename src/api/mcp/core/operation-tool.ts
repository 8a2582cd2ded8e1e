import type { ToolSpec } from '../../../../generated/mcp/tools.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Timer } from '../../../lib/clock.ts';
import { AnswerBudget, type Caller, type Download, type Reply, truncationIn, truncationOf,
  warningsIn } from '../../../operations/index.ts';
import type { ArgumentReader } from './arguments.ts';
import { type CallContext, callerOf } from './call-context.ts';
import { withProgress } from './tool-progress.ts';
import { type AnyInvoke, type Arguments, success, type Tool, type ToolDefinition, written } from './tool.ts';

interface OperationToolParts {
  readonly spec: ToolSpec;
  readonly definition: ToolDefinition;
  readonly arguments: ArgumentReader;
  readonly invoke: AnyInvoke;
  readonly timer: Timer;
  /** Most bytes of a result; the default is that of `AnswerBudget`. */
  readonly answerBytes?: number | undefined;
}

/** A tool that is one operation: it reads the arguments, invokes the operation, and presents the result. */
export function operationTool(parts: OperationToolParts): Tool {
  const { spec, definition, invoke } = parts;
  return {
    definition,
    needs: [spec.operation],
    async call(args, context) {
      const input = inputOf(parts, args);
      if (spec.custom === 'export')
        return success(await exportWindow(invoke, input, callerOf(context), new AnswerBudget(parts.answerBytes)));
      const reply = await withProgress({ tool: spec.name, input, invoke, context, timer: parts.timer },
        () => invoke(spec.operation, spec.custom === 'wiki' ? async () => toFetched(input) : input, callerOf(context)));
      const value = spec.list === undefined ? asObject(reply.value) : asList(spec.list, reply);
      if (!definition.annotations.readOnlyHint) return written(value);
      return success(spec.prompt ? { ...value, ...await promptOf(invoke, input, context) } : value);
    },
  };
}

function inputOf({ spec, arguments: reader }: OperationToolParts, args: Arguments): Record<string, unknown> {
  const input = reader.read(args);
  return spec.custom === 'upload' ? toUpload(input) : input;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error('a tool whose operation returns no object must name its list');
}

/** Values that REST sends in headers beside a list become fields. */
function asList(name: string, { value, headers }: Reply<unknown>): Record<string, unknown> {
  const items = value as readonly unknown[];
  return {
    [name]: items,
    total: Number(headers['X-Total-Count'] ?? items.length),
    contextTruncated: headers['X-Context-Truncated'] === 'true' || undefined,
    ...truncationIn(headers),
    ...warningsIn(headers),
    nextCursor: headers['X-Next-Cursor'],
  };
}

async function promptOf(invoke: AnyInvoke, { collection }: Arguments,
  context: CallContext): Promise<{ responsePrompt?: string }>
{
  const responsePrompt = typeof collection === 'string'
    ? await readPrompt(invoke, collection, callerOf(context))
    : undefined;
  return responsePrompt === undefined ? {} : { responsePrompt };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The input of `uploadFiles` from a name and base64: a file as a form would contain it. Line breaks in the base64 are
 * ignored; all other invalid characters are rejected.
 */
export function toUpload({ filename, content, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const missing = [['filename', filename], ['content', content]].filter(([, value]) =>
    typeof value !== 'string' || value === ''
  ).map(([name]) => name);
  if (missing.length > 0) throw new ServiceError('missing_fields', `missing fields: ${missing.join(', ')}`);
  const base64 = (content as string).replaceAll(/[\r\n]/g, '');
  if (base64.length % 4 !== 0 || !BASE64.test(base64))
    throw new ServiceError('invalid_argument', 'content must be base64');
  return { ...rest, file: new File([Buffer.from(base64, 'base64')], filename as string) };
}

/** The input of `importWiki` from a URL, which the operation reads instead of a file in the call. */
function toFetched({ url, file: _, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof url !== 'string' || url === '') throw new ServiceError('missing_fields', 'missing fields: url');
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new ServiceError('invalid_argument', 'url must be an http or https URL');
  return { ...rest, file: parsed };
}

/**
 * The instructions for writing answers from a collection, for searches whose operation does not return them itself;
 * undefined if none are configured or if the caller may not read them.
 */
async function readPrompt(invoke: AnyInvoke, collection: string, caller: Caller): Promise<string | undefined> {
  try {
    const { value } = await invoke('getCollectionConfig', { collection }, caller);
    const { responsePrompt = '' } = (value as { config: { responsePrompt?: string } }).config;
    return responsePrompt === '' ? undefined : responsePrompt.replaceAll(/\{\{\s*collection\s*\}\}/g, () => collection);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

const MAX_LIMIT = 10_000;
const DEFAULT_LIMIT = 1000;
const NEWLINE = 10;

/**
 * Returns some documents of an export, as lines: as much as a model can use, never the whole file. The export is made
 * while it is read, so documents after the window cost nothing; those before it are skipped.
 */
export async function exportWindow(invoke: AnyInvoke, input: Readonly<Record<string, unknown>>, caller: Caller,
  budget: AnswerBudget): Promise<Record<string, unknown>>
{
  const { offset = 0, limit = DEFAULT_LIMIT, ...rest } = input;
  checkRange('offset', offset, 0, Number.MAX_SAFE_INTEGER);
  checkRange('limit', limit, 1, MAX_LIMIT);
  const { value } = await invoke('exportDocuments', { ...rest, format: 'ndjson' }, caller);
  const window = new Window(offset, limit, budget);
  for await (const line of linesOf((value as Download).content)) {
    caller.signal?.throwIfAborted();
    if (!window.take(line)) break;
  }
  return { collection: rest['collection'], ...window.result() };
}

function checkRange(field: string, value: unknown, least: number, most: number): asserts value is number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    throw new ServiceError('invalid_argument',
      `${field} must be an integer from ${least} to ${most}, got ${JSON.stringify(value)?.slice(0, 80)}`);
  }
}

class Window {
  readonly #offset: number;
  readonly #limit: number;
  readonly #lines: Buffer[] = [];
  readonly #budget: AnswerBudget;
  #seen = 0;
  #truncated = false;

  constructor(offset: number, limit: number, budget: AnswerBudget) {
    this.#offset = offset;
    this.#limit = limit;
    this.#budget = budget;
  }

  /** Returns false if the line is after the window, so that reading can stop. */
  take(line: Buffer): boolean {
    if (this.#seen++ < this.#offset) return true;
    if (this.#lines.length >= this.#limit || !this.#budget.take(line.length)) {
      this.#truncated = true;
      return false;
    }
    this.#lines.push(line);
    return true;
  }

  result(): Record<string, unknown> {
    const count = this.#lines.length;
    return {
      count,
      truncated: this.#truncated,
      ...truncationOf(this.#truncated, this.#offset + count),
      ndjson: Buffer.concat(this.#lines).toString(),
    };
  }
}

/** The lines of a text that arrives in pieces, each with its line end. */
async function* linesOf(content: Download['content']): AsyncGenerator<Buffer> {
  const pieces = typeof content === 'string' ? [Buffer.from(content)] : content;
  let begun: Buffer[] = [];
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, bytes.subarray(from, end + 1)]);
      begun = [];
      from = end + 1;
    }
    if (from < bytes.length) begun.push(bytes.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}
