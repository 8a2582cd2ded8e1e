import type { Log } from '../../../lib/log.ts';
import type { Permits } from '../../../operations/index.ts';
import { CAPABILITIES, type McpCore, type ServerInfo } from '../core/core.ts';
import { INVALID_PARAMS, McpFault, RESOURCE_NOT_FOUND } from '../core/fault.ts';
import type { AnyInvoke } from '../core/tool.ts';
import { ToolBook } from '../core/tools.ts';
import { modelTool } from '../models/model-tool.ts';
import { runsServiceOf, type RunTool } from './run-tool.ts';
import { cancel, retry, submitRun } from './tools/change-runs.ts';
import { listRuns } from './tools/list-runs.ts';
import { readLog } from './tools/read-log.ts';
import { runStatus } from './tools/run-status.ts';
import { testFailures } from './tools/test-failures.ts';

/** The tools, in the order in which they are listed. */
const TOOLS: readonly RunTool[] = [listRuns, runStatus, readLog, testFailures, submitRun, retry, cancel];

const INSTRUCTIONS =
  'Runs of pipelines: start with list_runs or run_status. Of a failed run, test_failures and read_log ' +
  'show why it failed. Answers are short; each says how to read on.';

export interface RunsCoreOptions {
  readonly info: ServerInfo;
  /** Invokes operations of the run queue, with the credential of the caller. */
  readonly invoke: AnyInvoke;
  /** Which operations a caller may use; tools that need others are not listed. */
  readonly permits: Permits;
  readonly log: Log;
}

/** The methods of MCP over the run queue: seven tools, and neither resources nor prompts. */
export function createRunsCore({ info, invoke, permits, log }: RunsCoreOptions): McpCore {
  const tools = TOOLS.map((spec) => modelTool(spec, (context) => runsServiceOf(invoke, context)));
  const book = new ToolBook({ listed: tools, callable: tools }, { permits, log, observe: () => undefined });
  return {
    info,
    instructions: INSTRUCTIONS,
    capabilities: CAPABILITIES,
    tools: tools.map(({ definition: { name, title } }) => ({ name, description: title })),
    listTools: ({ cursor }, context) => book.list(cursor, context),
    callTool: ({ name, arguments: args = {} }, context) => book.call(name, args, context),
    listResources: () => ({ resources: [] }),
    listResourceTemplates: () => ({ resourceTemplates: [] }),
    readResource: () => Promise.reject(new McpFault(RESOURCE_NOT_FOUND, 'the run queue has no resources')),
    listPrompts: () => ({ prompts: [] }),
    getPrompt() {
      throw new McpFault(INVALID_PARAMS, 'the run queue has no prompts');
    },
    complete: () => Promise.reject(new McpFault(INVALID_PARAMS, 'nothing can be completed')),
  };
}
