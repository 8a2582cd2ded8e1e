import { ServiceError } from '../../../errors/index.ts';
import type { Caller, Reply } from '../../../operations/index.ts';
import type { JsonSchema } from './arguments.ts';
import type { CallContext } from './call-context.ts';

/** Invokes every operation by its id, with types for a caller that needs all of them. */
export type AnyInvoke = (id: string, input: object, caller: Caller) => Promise<Reply<unknown>>;

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Absent if the result is only text. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: {
    readonly title?: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly definition: ToolDefinition;
  /** Ids of the operations that it uses. */
  readonly needs: readonly string[];
  /** Throws `ServiceError` for errors that the model receives as a failure of the tool. */
  call(args: Arguments, context: CallContext): Promise<ToolResult>;
}

/** The result of `tools/call`. */
export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: readonly TextContent[];
  /** Matches the tool's output schema; absent in failures. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

/** Larger results are of no use to a model, and a message is in memory several times. */
export const MAX_RESULT_BYTES = 4 * 2 ** 20;
/** Characters of a written body that the result shows; escaped as JSON they take at most six bytes each. */
const MAX_SHOWN_BODY = 100_000;

/**
 * A success: the value as JSON that a model can read, and as structured content. The `responsePrompt`
 * of a collection is repeated as a text of its own, because it is meant for the model.
 */
export function success(value: Readonly<Record<string, unknown>>): ToolResult {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RESULT_BYTES) {
    throw new ServiceError('payload_too_large',
      `the result has ${bytes} bytes, more than the ${MAX_RESULT_BYTES} that one response may have; ask for less, ` +
        'with limit, fields or include_content where the tool has them');
  }
  const { responsePrompt } = value;
  const prompt = typeof responsePrompt === 'string' && responsePrompt !== ''
    ? [textOf(`How to answer from these results: ${responsePrompt}`)]
    : [];
  return { content: [textOf(text), ...prompt], structuredContent: value };
}

/**
 * The success of a write, which is reported however large its result is: a body that is too long is truncated and
 * marked as such.
 */
export function written(value: Readonly<Record<string, unknown>>): ToolResult {
  const { contentMd } = value;
  if (typeof contentMd !== 'string' || contentMd.length <= MAX_SHOWN_BODY) return success(value);
  const { content, ...result } = success({ ...value, contentMd: contentMd.slice(0, MAX_SHOWN_BODY).toWellFormed() });
  return {
    ...result,
    content: [...content,
      textOf(
        `It was written as a whole; of its ${contentMd.length} characters, contentMd has the first ${MAX_SHOWN_BODY}.`,
      )],
  };
}

/** A failure that the model receives: the message and the stable code, as in the error bodies of REST. */
export function failure(error: ServiceError): ToolResult {
  const body = { error: error.message, code: error.code, errors: error.errors, ...error.body };
  return { content: [textOf(JSON.stringify(body))], isError: true };
}

const textOf = (text: string): TextContent => ({ type: 'text', text });
