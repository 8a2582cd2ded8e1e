import { clearEnvironment, type Environment } from './clear-environment.ts';
import { closeMemory } from './close-memory.ts';

export { closeMemory };

export interface Sealed {
  /** The original environment, which now only this process has. */
  readonly env: Environment;
  /** What was not possible, for the log. */
  readonly problems: readonly string[];
}

/**
 * Protects the secrets of this process, which are passed in its environment, from other processes. Must be called once,
 * before other processes are started.
 */
export async function sealProcess(): Promise<Sealed> {
  const { env, reason } = clearEnvironment();
  const open = await closeMemory();
  const problems = [
    ...(reason === undefined ? [] : [`the environment that this process was started with stays readable: ${reason}`]),
    ...(open === undefined ? [] : [`the memory of this process stays readable to processes of its user: ${open}`]),
  ];
  return { env, problems };
}
