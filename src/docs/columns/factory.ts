/* eslint-disable import-x/no-restricted-paths -- until the engine is there */
import { ReferenceColumns } from '../../testkit/columns/reference.ts';
import type { ColumnsFactory } from './columns-view.ts';

export const columnsFactory: ColumnsFactory = {
  create: () => new ReferenceColumns(),
  restore: (bytes) => ReferenceColumns.restore(bytes),
};
