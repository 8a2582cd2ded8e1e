/** The exit statuses, for scripts. Commands that use a number differently say so in their help. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  unavailable: 6,
  /** As in shells: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** The rows of the table in `docs/cli.md`, and of `quire --help`. */
export const EXIT_MEANINGS: ReadonlyArray<readonly [code: number, meaning: string]> = [[EXIT.ok,
  'done; finding nothing counts as done'], [EXIT.failed, 'failed, at least in part'], [EXIT.usage,
  'the command line is wrong, or a confirmation is needed and nobody can be asked'], [EXIT.notFound,
  'there is no such document, collection, account or other thing'], [EXIT.notAllowed,
  'a credential is missing, or does not allow it'], [EXIT.conflict, 'somebody else was faster, or the name is taken'], [
  EXIT.unavailable,
  'the service cannot be reached, or is too busy',
], [EXIT.interrupted, 'interrupted']];

/** The exit status for an error with this HTTP status; undefined means that there was no complete response. */
export function exitCodeOf(status: number | undefined): number {
  switch (status) {
    case undefined:
    case 408:
    case 429:
    case 502:
    case 503:
    case 504:
      return EXIT.unavailable;
    case 401:
    case 403:
      return EXIT.notAllowed;
    case 404:
    case 410:
      return EXIT.notFound;
    case 409:
    case 412:
      return EXIT.conflict;
    default:
      return EXIT.failed;
  }
}
