import { tools as BUILT_IN, type ToolSpec } from '../../../../generated/mcp/tools.ts';
import type { Timer } from '../../../lib/clock.ts';
import { DEFAULT_ANSWER_BYTES } from '../../../operations/index.ts';
import { customTool } from '../custom/custom-tool.ts';
import type { CustomTool } from '../custom/spec.ts';
import { createCoreTools } from '../models/index.ts';
import { ArgumentReader } from './arguments.ts';
import type { JsonSchema } from './json-schema.ts';
import { operationTool } from './operation-tool.ts';
import type { AnyInvoke, Tool } from './tool.ts';
import { isListed, mayBeCalled, type Toolset } from './toolset.ts';

/** The generated schemas of the tools, by name (`generated/mcp/tools.json`). */
export type ToolSchemas = Readonly<
  Record<string, { readonly inputSchema: JsonSchema; readonly outputSchema: JsonSchema }>
>;

export interface ToolOptions {
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
export interface Tools {
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
