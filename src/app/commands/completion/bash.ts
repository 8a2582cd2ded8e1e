import { cases, pathPatterns, positionCases, valuePatterns } from './cases.ts';
import type { CompletedCommand } from './model.ts';

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
