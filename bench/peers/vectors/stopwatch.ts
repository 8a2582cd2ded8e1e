/** Adds up the time of what it is given, and the processors' time meanwhile. */
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

/** Seconds of all threads of this process. */
export function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
