/** The Node options with which the server is started (README, "How it is built"). */
export const SERVER_FLAGS: readonly string[] = ['--no-concurrent-marking', '--no-allocation-site-pretenuring'];
