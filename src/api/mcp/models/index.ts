import type { Tool } from '../core/tool.ts';
import { type ModelTool, type ModelToolOptions, toTool } from './model-tool.ts';
import { deleteTool, restore } from './tools/delete.ts';
import { history } from './tools/history.ts';
import { listCollections, listDocuments, listFields } from './tools/list.ts';
import { recall, remember } from './tools/memory.ts';
import { read } from './tools/read.ts';
import { search } from './tools/search.ts';
import { edit, write } from './tools/write.ts';

/** The core tools, in the order in which they are listed. */
const CORE: readonly ModelTool[] = [listCollections, search, read, listDocuments, listFields, write, edit, deleteTool,
  history, restore, remember, recall];

export const CORE_NAMES: readonly string[] = CORE.map(({ name }) => name);

/** The tools that are made for models. */
export function createCoreTools(options: ModelToolOptions): Tool[] {
  return CORE.map((spec) => toTool(spec, options));
}
