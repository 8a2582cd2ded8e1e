import type { ToolSpec } from '../../../../generated/mcp/tools.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Timer } from '../../../lib/clock.ts';
import { AnswerBudget, type Caller, type Reply, truncationIn, warningsIn } from '../../../operations/index.ts';
import type { ArgumentReader } from './arguments.ts';
import { type CallContext, callerOf } from './call-context.ts';
import { exportWindow } from './export-window.ts';
import { success, written } from './results.ts';
import { withProgress } from './tool-progress.ts';
import type { AnyInvoke, Arguments, Tool, ToolDefinition } from './tool.ts';

export interface OperationToolParts {
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
  const input = { ...spec.defaults, ...reader.read(args) };
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
    ...(headers['X-Context-Truncated'] === 'true' ? { contextTruncated: true } : {}),
    ...truncationIn(headers),
    ...warningsIn(headers),
    ...(headers['X-Next-Cursor'] === undefined ? {} : { nextCursor: headers['X-Next-Cursor'] }),
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
