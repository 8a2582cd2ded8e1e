/**
 * A configuration that a program refuses to start with. `problems` holds one line for each thing
 * that is wrong, all of them at once, so that they can be mended in one go.
 */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
