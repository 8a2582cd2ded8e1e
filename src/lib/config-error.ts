/**
 * A configuration with which a program refuses to start. `problems` holds one line for each error; all errors are
 * reported together, so that they can be corrected in one go.
 */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
