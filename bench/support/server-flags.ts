/** The options of Node that the server is started with (README, "How it is built"). */
export const SERVER_FLAGS: readonly string[] = ['--no-concurrent-marking', '--no-allocation-site-pretenuring'];
