import type { CompletedCommand, CompletedOption, Values } from './model.ts';

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
