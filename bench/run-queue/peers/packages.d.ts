/** The used part of the peers' interfaces, so that the code can be checked without installing them. */
declare module 'bullmq' {
  interface Connection {
    readonly connection: { readonly host: string; readonly port: number; readonly maxRetriesPerRequest: null };
  }
  export class Queue {
    constructor(name: string, options: Connection);
    add(name: string, data: object): Promise<unknown>;
    close(): Promise<void>;
  }
  export class Worker {
    constructor(name: string, work: () => Promise<void>, options: Connection & { readonly concurrency: number });
    on(event: 'completed', listener: () => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  }
}

declare module 'pg-boss' {
  interface Job {
    readonly id: string;
  }
  export class PgBoss {
    constructor(
      options: { readonly connectionString: string; readonly max: number; readonly useListenNotify: boolean },
    );
    on(event: 'error', listener: (error: Error) => void): this;
    start(): Promise<unknown>;
    stop(options?: object): Promise<void>;
    createQueue(name: string, options: { readonly notify: boolean }): Promise<void>;
    send(name: string, data: object): Promise<unknown>;
    fetch(name: string, options: { readonly batchSize: number }): Promise<Job[]>;
    complete(name: string, ids: readonly string[]): Promise<unknown>;
    work(name: string, options: { readonly pollingIntervalSeconds: number },
      handler: () => Promise<void>): Promise<string>;
  }
}
