import { clearEnvironment, type Environment } from './clear-environment.ts';
import { closeMemory } from './close-memory.ts';

export { closeMemory };

export interface Sealed {
  /** The environment as it was: only this process has it now. */
  readonly env: Environment;
  /** What was not possible, for the log. */
  readonly problems: readonly string[];
}

/** Keeps the secrets of this process, which come in its environment, from other processes. To be called once, before there are others. */
export async function sealProcess(): Promise<Sealed> {
  const { env, reason } = clearEnvironment();
  const open = await closeMemory();
  const problems = [
    ...(reason === undefined ? [] : [`the environment that this process was started with stays readable: ${reason}`]),
    ...(open === undefined ? [] : [`the memory of this process stays readable to processes of its user: ${open}`]),
  ];
  return { env, problems };
}
