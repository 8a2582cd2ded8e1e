import { readFile } from 'node:fs/promises';
import type { OperationId } from '../../../../generated/docs/operations.ts';
import type { OperationSpec } from '../../../operations/index.ts';
import type { ListColumn } from '../shared/output.ts';
import type { Input } from '../shared/service.ts';
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

/** A command that calls one operation: its options are the fields of the operation's input. */
export interface OperationCommand {
  /** Name of the command in its group. */
  readonly name: string;
  readonly operation: OperationId;
  readonly summary: string;
  /** Fields that are given by position, in their order; the last one may occur several times if it is a list. */
  readonly positions?: readonly string[];
  /** Fields that the command sets itself. */
  readonly fixed?: Input;
  /** Default values of fields. */
  readonly defaults?: Input;
  /** Fields that only other commands have as options. */
  readonly without?: readonly string[];
  /** Field that is read from a hidden prompt if it is absent. */
  readonly secret?: string;
  /** Columns of the list in the response, on a terminal. */
  readonly columns?: readonly ListColumn[];
  /** Field of the response with the list, if the operation has no pages. */
  readonly items?: string;
  /** Confirmation question before an action that cannot be undone. */
  readonly asks?: (input: Input) => string;
  /** What is written to standard output instead of the whole response: the part that scripts need. */
  readonly prints?: (answer: Input) => string;
  /** A message about the response, beside it. */
  readonly says?: (answer: Input, input: Input) => readonly string[];
  readonly examples?: readonly string[];
}

/** A group of such commands: `quire NAME COMMAND`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly OperationCommand[];
}
