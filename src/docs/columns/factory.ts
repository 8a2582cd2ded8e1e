import { ColumnStore } from '../../search/columns/index.ts';
import type { ColumnsFactory } from './columns-view.ts';

/** Columns in WebAssembly (see src/search/columns/README.md). */
export const columnsFactory: ColumnsFactory = {
  create: () => ColumnStore.create(),
  restore: (bytes) => ColumnStore.load(bytes),
};
