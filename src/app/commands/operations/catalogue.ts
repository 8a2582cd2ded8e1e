import { readFile } from 'node:fs/promises';
import type { OperationId } from '../../../../generated/docs/operations.ts';
import type { OperationSpec } from '../../../operations/index.ts';
import { type Field, fieldsOf, type InputSchema } from './fields.ts';

export type { OperationId };

/** The command line's description of an operation: its row of the generated table and the fields of its input. */
export interface CatalogueEntry {
  readonly spec: OperationSpec;
  readonly fields: readonly Field[];
}

/** The operations of the document service, in the order of the specification. Loaded at first use. */
export async function operationSpecs(): Promise<Readonly<Record<OperationId, OperationSpec>>> {
  return (await import('../../../../generated/docs/operations.ts')).operations;
}

let schemas: Promise<Readonly<Record<string, InputSchema>>> | undefined;

/** An operation with the fields of its input. */
export async function catalogueEntry(id: OperationId): Promise<CatalogueEntry> {
  schemas ??= readFile(new URL('../../../../generated/docs/inputs.json', import.meta.url), 'utf8').then((text) =>
    JSON.parse(text) as Record<string, InputSchema>
  );
  const [specs, inputs] = await Promise.all([operationSpecs(), schemas]);
  return { spec: specs[id], fields: fieldsOf(inputs[id]!) };
}
