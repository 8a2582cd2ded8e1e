import { systemTimer, type Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Permits } from '../../../operations/index.ts';
import type { CustomTool } from '../custom/custom-tools.ts';
import type { JsonSchema } from './arguments.ts';
import type { CallContext } from './call-context.ts';
import { complete, type CompletionRequest } from './completion.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { readResource, RESOURCE_TEMPLATES, RESOURCES } from './resources.ts';
import type { AnyInvoke, Arguments } from './tool.ts';
import { createTools, pageOf, ToolBook, type ToolCall, type ToolSchemas, type Toolset } from './tools.ts';

/** The server's description of itself. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
}

export interface CoreOptions {
  readonly info: ServerInfo;
  /** Instructions for models; none if empty. */
  readonly instructions: string;
  readonly schemas: ToolSchemas;
  /** JSON schemas of the operations' inputs, by operation id. */
  readonly inputs: Readonly<Record<string, object>>;
  readonly invoke: AnyInvoke;
  readonly custom: readonly CustomTool[];
  readonly builtInTools: boolean;
  readonly toolset: Toolset;
  /** Which operations a caller may use; tools that need other operations are not listed. */
  readonly permits: Permits;
  /** Language of a document whose URI contains none. */
  readonly defaultLang: string;
  readonly log: Log;
  readonly observe?: (call: ToolCall) => void;
  readonly timer?: Timer;
  /** Most bytes of a tool's result; the default is that of `AnswerBudget`. */
  readonly answerBytes?: number;
}

interface ListParams {
  readonly cursor?: string | undefined;
}

/** The methods of MCP, the same for all revisions and transports; each receives the parameters of its request. */
export interface McpCore {
  readonly info: ServerInfo;
  readonly instructions: string | undefined;
  readonly capabilities: typeof CAPABILITIES;
  /** The tools that are listed, with one line of description each. */
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  listTools(params: ListParams, context: CallContext): Promise<object>;
  callTool(params: { readonly name: string; readonly arguments?: Arguments | undefined },
    context: CallContext): Promise<object>;
  listResources(params: ListParams): object;
  listResourceTemplates(params: ListParams): object;
  readResource(params: { readonly uri: string }, context: CallContext): Promise<object>;
  listPrompts(params: ListParams): object;
  getPrompt(
    params: { readonly name: string; readonly arguments?: Readonly<Record<string, string>> | undefined },
  ): object;
  complete(params: CompletionRequest, context: CallContext): Promise<object>;
}

/** Nothing changes while the server runs, so there is nothing to subscribe to. */
export const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

export function createCore(options: CoreOptions): McpCore {
  const { info, instructions, invoke, defaultLang, log } = options;
  const tools = createTools({
    schemas: options.schemas,
    inputs: options.inputs as Readonly<Record<string, JsonSchema>>,
    invoke,
    custom: options.custom,
    builtIn: options.builtInTools,
    toolset: options.toolset,
    defaultLang,
    timer: options.timer ?? systemTimer,
    answerBytes: options.answerBytes,
  });
  const book = new ToolBook(tools, { permits: options.permits, log, observe: options.observe ?? (() => undefined) });
  const listed = new Set(tools.listed.map(({ definition }) => definition.name));
  // A prompt refers models to tools that are listed.
  const ofCore = listed.has('search') && !listed.has('full_text_search');
  const page = (name: string, all: readonly unknown[], cursor: string | undefined): object => {
    const { items, ...rest } = pageOf(all, cursor);
    return { [name]: items, ...rest };
  };
  return {
    info,
    instructions: instructions === '' ? undefined : instructions,
    capabilities: CAPABILITIES,
    tools: tools.listed.map(({ definition: { name, title, description } }) => ({
      name,
      description: title === name ? description : title,
    })),
    listTools: ({ cursor }, context) => book.list(cursor, context),
    callTool: ({ name, arguments: args = {} }, context) => book.call(name, args, context),
    listResources: ({ cursor }) => page('resources', RESOURCES, cursor),
    listResourceTemplates: ({ cursor }) => page('resourceTemplates', RESOURCE_TEMPLATES, cursor),
    readResource: ({ uri }, context) => readResource({ invoke, defaultLang }, uri, context),
    listPrompts: ({ cursor }) => page('prompts', listPrompts(), cursor),
    getPrompt: ({ name, arguments: args }) => getPrompt(name, args, ofCore),
    complete: (params, context) => complete(invoke, params, context),
  };
}
