import type { ListColumn } from '../shared/output.ts';
import type { Input } from '../shared/service.ts';
import type { OperationId } from './catalogue.ts';

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
