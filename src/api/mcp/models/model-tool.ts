import type { OperationId, Operations } from '../../../../generated/docs/operations.ts';
import { AnswerBudget, type OutputOf, type Reply } from '../../../operations/index.ts';
import type { JsonSchema } from '../core/arguments.ts';
import { type CallContext, callerOf } from '../core/call-context.ts';
import type { AnyInvoke, Tool } from '../core/tool.ts';
import { type ModelArguments, readArguments } from './arguments.ts';
import { bytesOf } from './fitting.ts';

/**
 * Most bytes of a core tool's result: 1,800 tokens of four bytes. `SVC_MCP_MAX_ANSWER_TOKENS` lowers it, and
 * `max_tokens` of `read` raises it.
 */
export const MODEL_ANSWER_BYTES = 7200;

/**
 * A tool that is made for models: few arguments, a short result, one form. `Service` invokes the operations of a
 * service for it, `Id` is the type of their ids.
 */
export interface ModelTool<Service = ModelService, Id extends string = OperationId> {
  readonly name: string;
  readonly title: string;
  /** Its purpose, in one or two sentences that a small model understands. */
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Valid arguments; shown in errors about invalid ones. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly hint: 'read' | 'write' | 'destructive';
  /** The operations that it uses; callers that may not use one of them do not see the tool. */
  readonly needs: readonly Id[];
  run(args: ModelArguments, service: Service): Promise<object>;
}

/** Invokes the operations for one call of a model's tool. */
export interface ModelService {
  call<K extends OperationId>(id: K, input: object): Promise<OutputOf<Operations, K>>;
  reply<K extends OperationId>(id: K, input: object): Promise<Reply<OutputOf<Operations, K>>>;
  /** Language of a document if the call contains none. */
  readonly defaultLang: string;
  /** Most bytes of the result. */
  readonly answerBytes: number;
  /** The same if a call asks for more. */
  readonly mostAnswerBytes: number;
}

export interface ModelToolOptions {
  readonly invoke: AnyInvoke;
  readonly defaultLang: string;
  readonly mostAnswerBytes: number;
}

/** A tool of the document service. */
export const toTool = (spec: ModelTool, options: ModelToolOptions): Tool =>
  modelTool(spec, (context) => serviceFor(options, context));

/** The tool in the form that the server lists and calls. Its result is one text, JSON in snake_case. */
export function modelTool<Service, Id extends string>(spec: ModelTool<Service, Id>,
  serviceOf: (context: CallContext) => Service): Tool
{
  const { name, title, description, hint } = spec;
  return {
    needs: spec.needs,
    definition: {
      name,
      title,
      description,
      inputSchema: {
        type: 'object',
        properties: spec.properties,
        ...(spec.required.length > 0 && { required: spec.required }),
      },
      annotations: {
        readOnlyHint: hint === 'read',
        destructiveHint: hint === 'destructive',
        idempotentHint: hint !== 'write',
        openWorldHint: false,
      },
    },
    async call(args, context) {
      const answer = await spec.run(readArguments(spec, args), serviceOf(context));
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    },
  };
}

function serviceFor({ invoke, defaultLang, mostAnswerBytes }: ModelToolOptions, context: CallContext): ModelService {
  // The results of operations are truncated here, not in the operations.
  const reply = async <K extends OperationId>(id: K, input: object) =>
    await invoke(id, input, { ...callerOf(context), budget: new AnswerBudget() }) as Reply<OutputOf<Operations, K>>;
  return {
    reply,
    call: async (id, input) => (await reply(id, input)).value,
    defaultLang,
    answerBytes: Math.min(MODEL_ANSWER_BYTES, mostAnswerBytes),
    mostAnswerBytes,
  };
}

/** Bytes that remain for a list beside the rest of the result. */
export function roomBeside(rest: object, { answerBytes }: ModelService): number {
  const NOTE = 200;
  return answerBytes - bytesOf(rest) - NOTE;
}
