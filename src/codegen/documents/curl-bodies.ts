const COMMAND = /(?<!buf )\bcurl .*\s-d /;
const TYPED = /Content-Type|\$json/;

/**
 * One line for each `curl` of a page that sends a body without its type: curl names a form then, which the services
 * refuse.
 */
export function untypedBodies(file: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line,
    at) => (COMMAND.test(line) && !TYPED.test(commandAt(lines, at))
      ? [`${file}:${at + 1}: curl sends a body without its Content-Type`]
      : [])
  );
}

/** A command ends with the line in which its quotes are closed, unless a backslash continues it. */
function commandAt(lines: readonly string[], from: number): string {
  let command = lines[from]!;
  for (let at = from + 1; at < lines.length && (command.endsWith('\\') || command.split("'").length % 2 === 0); at++)
    command += `\n${lines[at]!}`;
  return command;
}
