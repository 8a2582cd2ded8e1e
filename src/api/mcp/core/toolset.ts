import { tools as BUILT_IN } from '../../../../generated/mcp/tools.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { CORE_NAMES } from '../models/index.ts';

/** Which tools are listed (`SVC_MCP_TOOLSET`); custom tools always are. */
export interface Toolset {
  readonly listed: ReadonlySet<string>;
  /**
   * True if tools that are not listed cannot be called: if the setting names at least one single tool, not only sets.
   */
  readonly isClosed: boolean;
}

/** Sets of tools, by their names. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  core: CORE_NAMES,
  full: BUILT_IN.map(({ name }) => name),
};

/** Parses names of tools and of sets. A problem is a readable description of an invalid name. */
export function parseToolset(names: readonly string[]): { readonly toolset: Toolset; readonly problem?: string } {
  const known = [...Object.keys(SETS), ...Object.values(SETS).flat()];
  const unknown = names.find((name) => !known.includes(name));
  const listed = new Set(names.flatMap((name) => (Object.hasOwn(SETS, name) ? SETS[name]! : [name])));
  const toolset = { listed, isClosed: names.some((name) => !Object.hasOwn(SETS, name)) };
  if (unknown !== undefined)
    return { toolset, problem: `"${unknown}" is neither core, full nor a tool${didYouMean(unknown, known)}` };
  if (names.length === 0)
    return { toolset, problem: 'names no tool; for custom tools alone, set SVC_MCP_BUILTIN_TOOLS=false' };
  return { toolset };
}

export function isListed({ listed }: Toolset, name: string): boolean {
  return listed.has(name);
}

/** The sets hide tools that few models need; a client that knows the name of one may still call it. */
export function mayBeCalled({ listed, isClosed }: Toolset, name: string): boolean {
  return !isClosed || listed.has(name);
}
