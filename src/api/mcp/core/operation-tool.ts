import type { ToolSpec } from '../../../../generated/mcp/tools.ts';
import type { Timer } from '../../../lib/timer.ts';
import { AnswerBudget, type Reply, truncationIn, warningsIn } from '../../../operations/index.ts';
import type { ArgumentReader } from './arguments.ts';
import { type CallContext, callerOf } from './call-context.ts';
import { exportWindow } from './export-window.ts';
import { toFetched } from './fetched.ts';
import { readPrompt } from './response-prompt.ts';
import { success, written } from './results.ts';
import { withProgress } from './tool-progress.ts';
import type { AnyInvoke, Arguments, Tool, ToolDefinition } from './tool.ts';
import { toUpload } from './upload.ts';

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
