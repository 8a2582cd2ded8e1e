import type { Tool } from '../core/tool.ts';
import { type ModelTool, type ModelToolOptions, toTool } from './model-tool.ts';
import { deleteTool } from './tools/delete.ts';
import { edit } from './tools/edit.ts';
import { history } from './tools/history.ts';
import { listCollections } from './tools/list-collections.ts';
import { listDocuments } from './tools/list-documents.ts';
import { listFields } from './tools/list-fields.ts';
import { read } from './tools/read.ts';
import { recall } from './tools/recall.ts';
import { remember } from './tools/remember.ts';
import { restore } from './tools/restore.ts';
import { search } from './tools/search.ts';
import { write } from './tools/write.ts';

/** The core tools, in the order in which they are listed. */
const CORE: readonly ModelTool[] = [listCollections, search, read, listDocuments, listFields, write, edit, deleteTool,
  history, restore, remember, recall];

export const CORE_NAMES: readonly string[] = CORE.map(({ name }) => name);

/** The tools that are made for models. */
export function createCoreTools(options: ModelToolOptions): Tool[] {
  return CORE.map((spec) => toTool(spec, options));
}
