import type { ListColumn } from '../shared/output.ts';
import type { Input } from '../shared/service.ts';
import type { OperationId } from './catalogue.ts';

/** A command that calls one operation: its options are the fields of the operation's input. */
export interface OperationCommand {
  /** Name of the command in its group. */
  readonly name: string;
  readonly operation: OperationId;
  readonly summary: string;
  /** Fields that are given by position, in their order; of the last one there may be many where it is a list. */
  readonly positions?: readonly string[];
  /** Fields that the command sets itself. */
  readonly fixed?: Input;
  /** Values of fields that are not given. */
  readonly defaults?: Input;
  /** Fields that are options of other commands only. */
  readonly without?: readonly string[];
  /** Field that is asked for without showing it, unless it is given. */
  readonly secret?: string;
  /** Columns of the list that the answer holds, in a terminal. */
  readonly columns?: readonly ListColumn[];
  /** Field of the answer with the list, where the operation has no pages. */
  readonly items?: string;
  /** Question before something is done that cannot be undone. */
  readonly asks?: (input: Input) => string;
  /** What is written to standard output instead of the whole answer: that on which scripts go on. */
  readonly prints?: (answer: Input) => string;
  /** What is said of the answer beside it. */
  readonly says?: (answer: Input, input: Input) => readonly string[];
  readonly examples?: readonly string[];
}

/** A group of such commands: `quire NAME COMMAND`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly OperationCommand[];
}
