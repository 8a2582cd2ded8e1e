import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Output of a step if an earlier attempt at its run is still working. */
export const OVERLAP = 'an earlier attempt is alive';

/**
 * Pipelines whose runs meet a fault, as YAML, each with the settings in `more`. Each attempt first checks whether the
 * process of an earlier one is alive, so that no test needs to watch at that moment.
 */
export function pipelines(folder: string, more = ''): string {
  const pids = join(folder, 'pids');
  mkdirSync(pids);
  const guard = join(folder, 'guard.sh');
  writeFileSync(guard, `
for file in ${pids}/$QUIRE_RUN_ID.*; do
  test -e "$file" || continue
  case "$(cut -d' ' -f3 "/proc/$(cat "$file")/stat" 2>/dev/null)" in
    ''|Z|X) ;;
    *) echo '${OVERLAP}' ;;
  esac
done
echo $$ > ${pids}/$QUIRE_RUN_ID.$QUIRE_ATTEMPT
`);
  const pipeline = (name: string, script: string, own = ''): string =>
    `  - {name: ${name}, ${more}${own}steps: [{name: only, run: '. ${guard}; ${script}'}]}`;
  return `pipelines:
${
    [
      // Writes as many lines as its input says, some each second.
      pipeline('count', 'i=0; while [ $i -lt $QUIRE_INPUT ]; do echo "line $i"; i=$((i+1)); sleep 0.04; done'),
      pipeline('endless', 'echo "attempt $QUIRE_ATTEMPT"; sleep 1000'),
      // Only the second attempt completes.
      pipeline('second',
        'echo "attempt $QUIRE_ATTEMPT"; test $QUIRE_ATTEMPT = 2 || sleep 1000; echo "{\\"attempt\\": ' +
          '$QUIRE_ATTEMPT}" > "$QUIRE_RESULT_FILE"'),
      // Each attempt completes; the first one late, whether it reaches the server or not.
      pipeline('stubborn',
        'echo "attempt $QUIRE_ATTEMPT"; test $QUIRE_ATTEMPT = 2 || sleep 4; echo "{\\"attempt\\": ' +
          '$QUIRE_ATTEMPT}" > "$QUIRE_RESULT_FILE"', 'on_partition: continue, '),
      // Runs for longer than a lease, as it would without a ship.
      pipeline('patient', 'echo "attempt $QUIRE_ATTEMPT"; sleep 12; echo done', 'on_partition: continue, '),
      // Neither it nor its children react to SIGTERM; one process leaves the process group and the session.
      pipeline('deaf', 'trap "" TERM; setsid sleep 1000 & sleep 1000 & echo begun; wait; sleep 1000'),
      pipeline('short', 'sleep 0.$QUIRE_INPUT'),
    ].join('\n')
  }
`;
}

/** How many lines `count` writes, and which ones. */
export const counted = (lines: number): string[] => Array.from({ length: lines }, (_, i) => `line ${i}`);

/** Projects whose runs are assigned to the ships of one zone. */
export const projects = (zones: readonly string[]): string =>
  `projects:
${zones.map((zone) => `  - {id: ${zone}, repository: org/${zone}, runs_on: [zone=${zone}]}`).join('\n')}
`;
