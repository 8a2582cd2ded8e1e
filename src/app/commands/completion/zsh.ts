import { valueCases } from './bash.ts';
import { cases, pathPatterns, positionCases, valuePatterns } from './cases.ts';
import type { CompletedCommand } from './model.ts';

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
