import type { CompletedCommand, Values } from './model.ts';

/** Returns a branch of `case` for all patterns; empty if there are none. */
export function cases(patterns: readonly string[], action: string, indent: number): string {
  return patterns.length === 0 ? '' : `${' '.repeat(indent)}${patterns.join('|')}) ${action} ;;`;
}

/**
 * Patterns of `COMMAND OPTION` for options with matching values. An option that has them in every command has one
 * pattern for all.
 */
export function valuePatterns(model: readonly CompletedCommand[], takes: (values: Values) => boolean): string[] {
  const all = model.flatMap(({ path, options }) =>
    options.flatMap(({ flags, values }) =>
      flags.map((flag) => ({ path, flag, matches: values !== undefined && takes(values) }))
    )
  );
  const flags = [...new Set(all.filter(({ matches }) => matches).map(({ flag }) => flag))];
  return flags.flatMap((flag) => {
    const having = all.filter((each) => each.flag === flag);
    return having.every(({ matches }) => matches)
      ? [`*' ${flag}'`]
      : having.filter(({ matches }) => matches).map(({ path }) => `'${path} ${flag}'`);
  });
}

/** Patterns of all commands below the program. */
export const pathPatterns = (model: readonly CompletedCommand[]): string[] =>
  model.slice(1).map(({ path }) => `'${path}'`);

/** Branches of `COMMAND POSITION` for arguments that can be completed. */
export function positionCases(model: readonly CompletedCommand[]): string {
  return model.flatMap(({ path, positions }) =>
    positions.flatMap((values, index) => {
      const pattern = index === positions.length - 1 ? `'${path} '*` : `'${path} ${index}'`;
      if (values === 'any') return [];
      return typeof values === 'string'
        ? [`      ${pattern}) values=${values} ;;`]
        : [`      ${pattern}) words='${values.join(' ')}' ;;`];
    })
  ).join('\n');
}
