import type { Caller, Reply } from '../../../operations/index.ts';
import type { CallContext } from './call-context.ts';
import type { JsonSchema } from './json-schema.ts';
import type { ToolResult } from './results.ts';

/** The way to every operation by its id, with types that one caller of all of them needs. */
export type AnyInvoke = (id: string, input: object, caller: Caller) => Promise<Reply<unknown>>;

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Absent where the result is text alone. */
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
  /** Ids of the operations that it is made of. */
  readonly needs: readonly string[];
  /** Throws `ServiceError` for what the model is told as a failure of the tool. */
  call(args: Arguments, context: CallContext): Promise<ToolResult>;
}
