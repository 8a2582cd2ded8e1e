import type { Caller, Reply } from '../../../operations/index.ts';
import type { CallContext } from './call-context.ts';
import type { JsonSchema } from './json-schema.ts';
import type { ToolResult } from './results.ts';

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
