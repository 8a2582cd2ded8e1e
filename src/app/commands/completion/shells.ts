import type { CompletedCommand, CompletedOption, Values } from './model.ts';

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

/** The completion for bash, 4 or newer. */
export function bashCompletion(model: readonly CompletedCommand[]): string {
  return `# Completion of quire for bash. Load it with: source <(quire completion bash)
_quire() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at=quire values='' words='' word i skip=0
  local -a positions=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((skip)); then skip=0; continue; fi
    case $word in
      -*) case "$at $word" in
${cases(valuePatterns(model, () => true), 'skip=1', 10)}
        esac ;;
      *) case "$at $word" in
${cases(pathPatterns(model), 'at="$at $word"', 10)}
          *) positions+=("$word") ;;
        esac ;;
    esac
  done
  if ((skip)); then
    case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(model)}
    esac
  elif [[ $cur == -* ]]; then
    case $at in
${
    model.map(({ path, options }) => `      '${path}') words='${options.flatMap(({ flags }) => flags).join(' ')}' ;;`)
      .join('\n')
  }
    esac
  else
    case $at in
${
    model.filter(({ commands }) => commands.length > 0).map(({ path, commands }) =>
      `      '${path}') words='${commands.map(([name]) => name).join(' ')}' ;;`
    ).join('\n')
  }
    esac
    case "$at \${#positions[@]}" in
${positionCases(model)}
    esac
  fi
  case $values in
    files) compopt -o default 2>/dev/null; COMPREPLY=(); return ;;
    collections|profiles) words=$(quire __complete $values 2>/dev/null) ;;
    keys) words=$(quire __complete keys "\${positions[0]}" 2>/dev/null) ;;
  esac
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _quire quire
`;
}

/** The values of the option before the cursor. */
export function valueCases(model: readonly CompletedCommand[]): string {
  const kinds = ['collections', 'keys', 'profiles', 'files'] as const;
  const choices = [
    ...new Set(
      model.flatMap(({ options }) =>
        options.flatMap(({ values }) => (Array.isArray(values) ? [values.join(' ')] : []))
      ),
    ),
  ];
  return [
    ...choices.map((words) =>
      cases(valuePatterns(model, (values) => Array.isArray(values) && values.join(' ') === words), `words='${words}'`,
        6)
    ),
    ...kinds.map((kind) => cases(valuePatterns(model, (values) => values === kind), `values=${kind}`, 6)),
  ].filter((text) => text !== '').join('\n');
}

/** The completion for zsh, with descriptions. */
export function zshCompletion(model: readonly CompletedCommand[]): string {
  const entry = (name: string, description: string): string =>
    `'${name.replaceAll(':', '\\:')}:${description.replaceAll("'", '')}'`;
  return `#compdef quire
# Completion of quire for zsh. Write it to a file named _quire in a folder of $fpath, or load it with: source <(quire completion zsh)
_quire() {
  local at=quire values='' words_='' word
  local -a positions found
  integer i skip=0
  for (( i = 2; i < CURRENT; i++ )); do
    word=$words[i]
    if (( skip )); then skip=0; continue; fi
    case $word in
      -*) case "$at $word" in
${cases(valuePatterns(model, () => true), 'skip=1', 10)}
        esac ;;
      *) case "$at $word" in
${cases(pathPatterns(model), 'at="$at $word"', 10)}
          *) positions+=("$word") ;;
        esac ;;
    esac
  done
  if (( skip )); then
    case "$at $words[CURRENT-1]" in
${valueCases(model).replaceAll(' words=', ' words_=')}
    esac
  elif [[ $words[CURRENT] == -* ]]; then
    case $at in
${
    model.map(({ path, options }) =>
      `      '${path}') found=(${
        options.flatMap(({ flags, description }) => flags.map((flag) => entry(flag, description))).join(' ')
      }) ;;`
    ).join('\n')
  }
    esac
    _describe -o option found
    return
  else
    case $at in
${
    model.filter(({ commands }) => commands.length > 0).map(({ path, commands }) =>
      `      '${path}') found=(${commands.map(([name, description]) => entry(name, description)).join(' ')}) ;;`
    ).join('\n')
  }
    esac
    if (( $#found )); then _describe command found; return; fi
    case "$at $#positions" in
${positionCases(model).replaceAll(' words=', ' words_=')}
    esac
  fi
  case $values in
    files) _files; return ;;
    collections|profiles) found=(\${(f)"$(quire __complete $values 2>/dev/null)"}) ;;
    keys) found=(\${(f)"$(quire __complete keys $positions[1] 2>/dev/null)"}) ;;
    *) found=(\${=words_}) ;;
  esac
  compadd -a found
}
if [[ $funcstack[1] == _quire ]]; then _quire "$@"; else compdef _quire quire; fi
`;
}

/** The completion for fish, with descriptions. */
export function fishCompletion(model: readonly CompletedCommand[]): string {
  const taking = [
    ...new Set(
      model.flatMap(({ options }) =>
        options.filter(({ values }) => values !== undefined).flatMap(({ flags }) => flags)
      ),
    ),
  ];
  return `# Completion of quire for fish. Load it with: quire completion fish | source
function __quire_words
  set -l at quire
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
    else if string match -q -- '-*' $word
      contains -- $word ${taking.join(' ')}; and set skip 1
    else if contains -- "$at $word" ${model.slice(1).map(({ path }) => `'${path}'`).join(' ')}
      set at "$at $word"
    else
      set -a positions $word
    end
  end
  echo $at
  set -q positions[1]; and printf '%s\\n' $positions
end
# Whether a command is typed and, with a number, whether its argument of this position, or one of these positions, is.
function __quire_at
  set -l words (__quire_words)
  test "$words[1]" = "$argv[1]"; or return 1
  switch (count $argv)
    case 2
      test (count $words) -gt $argv[2]
    case 3
      test (count $words) -eq $argv[3]
  end
end
function __quire_keys
  set -l words (__quire_words)
  quire __complete keys $words[2] 2>/dev/null
end
complete -c quire -f
${model.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, positions }: CompletedCommand): string[] {
  const at = `complete -c quire -n "__quire_at '${path}'"`;
  return [...commands.map(([name, description]) => `${at} -a '${name}' -d '${quoted(description)}'`),
    ...options.map((option) =>
      `${at} ${flagsOf(option)} -d '${quoted(option.description)}'${
        option.values === undefined ? '' : ` ${option.values === 'files' ? '-r' : '-x'}${source(option.values)}`
      }`
    ), ...positions.flatMap((values, index) => (values === 'any' ? [] : [
      `complete -c quire -n "__quire_at '${path}' ${index}${index === positions.length - 1 ? '' : ` ${index + 1}`}"${
        source(values)
      }`,
    ]))];
}

const flagsOf = ({ flags }: CompletedOption): string =>
  flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');

function source(values: Values): string {
  if (values === 'any') return '';
  if (values === 'files') return ' -F';
  if (values === 'keys') return " -a '(__quire_keys)'";
  return typeof values === 'string' ? ` -a '(quire __complete ${values} 2>/dev/null)'` : ` -a '${values.join(' ')}'`;
}

const quoted = (text: string): string => text.replaceAll("'", '');
