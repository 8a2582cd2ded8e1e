import { tools as BUILT_IN } from '../../../../generated/mcp/tools.ts';
import type { Timer } from '../../../lib/timer.ts';
import { customTool } from '../custom/custom-tool.ts';
import type { CustomTool } from '../custom/spec.ts';
import { ArgumentReader } from './arguments.ts';
import type { JsonSchema } from './json-schema.ts';
import { operationTool } from './operation-tool.ts';
import type { AnyInvoke, Tool } from './tool.ts';

/** The generated schemas of the tools, by name (`generated/mcp/tools.json`). */
export type ToolSchemas = Readonly<Record<string, { readonly inputSchema: JsonSchema; readonly outputSchema: JsonSchema }>>;

export interface ToolOptions {
  readonly schemas: ToolSchemas;
  /** JSON schemas of the operations' inputs, by operation id. */
  readonly inputs: Readonly<Record<string, JsonSchema>>;
  readonly invoke: AnyInvoke;
  readonly custom: readonly CustomTool[];
  /** Whether the built-in tools are shown (`SVC_MCP_BUILTIN_TOOLS`); custom ones work without them. */
  readonly builtIn: boolean;
  readonly timer: Timer;
  /** Bytes that an answer may have; those of `AnswerBudget` when absent. */
  readonly answerBytes?: number | undefined;
}

/** The names that custom tools must not take. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set(BUILT_IN.map(({ name }) => name));

/** The operation of a built-in tool. */
export function operationOf(name: string): string {
  return BUILT_IN.find((tool) => tool.name === name)!.operation;
}

/** The built-in tools, in the order of the specification, and after them the custom ones. */
export function createTools({ schemas, inputs, invoke, custom, builtIn, timer, answerBytes }: ToolOptions): Tool[] {
  const all = new Map(BUILT_IN.map((spec) => {
    const { name, title, description, annotations } = spec;
    const definition = { name, title, description, ...schemas[name]!, annotations };
    return [name, operationTool({ spec, definition, arguments: new ArgumentReader(inputs[spec.operation]!), invoke, timer, answerBytes })];
  }));
  const own = custom.map((spec) => customTool(spec, all.get(spec.action)!, inputs[operationOf(spec.action)]!));
  return [...(builtIn ? all.values() : []), ...own];
}
