/** prctl(2), linux/prctl.h. */
const PR_SET_DUMPABLE = 4;
/** Any user id except root's; the kernel shows this one for users that it cannot map. */
const NOBODY = 65_534;

/**
 * Prevents other processes of the same user from reading this process's memory and environment, and prevents core files
 * (PR_SET_DUMPABLE). The reason says why that was not possible.
 */
export async function closeMemory(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has it';
  if (process.getuid?.() === 0 && byChangingUser()) return undefined;
  try {
    // Node has no prctl. The package is optional, and only loaded here.
    const { default: koffi } = await import('koffi');
    const prctl = koffi.load(null).func('prctl', 'int', ['int', 'unsigned long', 'unsigned long', 'unsigned long',
      'unsigned long']) as (...args: number[]) => number;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0 ? undefined : 'the system refuses it';
  } catch (error) {
    return `the optional package koffi is missing (${
      error instanceof Error ? error.message.split('\n')[0] : String(error)
    })`;
  }
}

/**
 * Root needs no package: the kernel protects the memory of a process whose effective user changes, and keeps it
 * protected.
 */
function byChangingUser(): boolean {
  try {
    process.seteuid!(NOBODY);
    process.seteuid!(0);
    return true;
  } catch {
    return false;
  }
}
