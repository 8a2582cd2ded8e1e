/** Adds up the wall time of some work, and the processor time in the meantime. */
export class Stopwatch {
  seconds = 0;
  cpuSeconds = 0;

  async time(act: () => void | Promise<void>): Promise<void> {
    const cpu = process.cpuUsage();
    const begun = performance.now();
    await act();
    this.seconds += (performance.now() - begun) / 1000;
    this.cpuSeconds += cpuSince(cpu);
  }
}

/** Processor seconds of all threads of this process. */
export function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
