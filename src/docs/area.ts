import type { Registry } from 'prom-client';
import type { Operations } from '../../generated/docs/operations.ts';
import { Composition } from '../lib/areas.ts';
import type { Handlers } from '../operations/index.ts';
import type { Sweep } from './documents/index.ts';
import type { DocsEnvironment } from './environment.ts';

/** A part of the service. The composition calls what an area has, in the order of what areas need of each other. */
export interface Area {
  readonly handlers?: Handlers<Operations> | undefined;
  /** Indexes that follow the change feed; they start after `start`, and stop after `stop`. */
  readonly views?: readonly View[];
  /** Reads into memory what it keeps of its tables: at the start, and when the database was replaced by another. */
  load?(): Promise<void>;
  /** Another process has changed its tables; absent, they are loaded again. */
  reload?(): Promise<void>;
  /** Prepares this process, whatever its role, once all areas are loaded. Rejects for settings that cannot work. */
  start?(): Promise<void>;
  /** Begins the work in the background, which one process of the service does. */
  work?(): Promise<void> | void;
  /** Looks for work that other processes have requested; does nothing before `work`. */
  wake?(): Promise<void> | void;
  /** The database was replaced by another: what depends on it begins again. */
  restart?(): Promise<void>;
  /** Ends what `start` and `work` began, and waits for it; harmless before them and when repeated. */
  stop?(): Promise<void> | void;
  /** Removes what has expired, after the documents. */
  readonly sweep?: Sweep;
  registerMetrics?(registers: Registry[]): void;
}

interface View {
  start(): Promise<void>;
  restart(): Promise<void>;
  /** Absent if `stop` of its area ends it. */
  stop?(): Promise<void>;
}

/** How an area learns of changes of its tables. */
export interface Following {
  /** The beginning, up to the dot, of the kinds of its changes. Absent: it follows changes of all other kinds. */
  readonly changes?: string;
  /** Its loads may write, so on a node that writes, nobody waits for them who loads changes. */
  readonly loadsLater?: boolean;
  /** Tables whose rows it has in memory: of these, the feed of a leader names the tables and not the kind. */
  readonly tables?: readonly string[];
}

/** The areas of the document service. */
export class DocsComposition<Areas> extends Composition<Areas, Area, DocsEnvironment, Following> {
  get handlers(): Handlers<Operations> {
    return this.merged('handlers');
  }

  sweeps(): Sweep[] {
    return this.made.flatMap(({ area }) => area.sweep ?? []);
  }

  registerMetrics(registers: Registry[]): void {
    for (const { area } of this.made) area.registerMetrics?.(registers);
  }

  async load(): Promise<void> {
    await this.inOrder((area) => area.load?.());
  }

  async start(): Promise<void> {
    await this.inOrder(async (area) => {
      await area.start?.();
      for (const view of area.views ?? []) await view.start();
    });
  }

  async work(): Promise<void> {
    await this.inOrder((area) => area.work?.());
  }

  /** Never rejects: what fails is tried again at the next call. */
  wake(): void {
    for (const { area } of this.made) void Promise.try(() => area.wake?.()).catch(() => undefined);
  }

  /** The database was replaced by another. */
  async replaced(): Promise<void> {
    await this.load();
    await this.inOrder(async (area) => {
      await area.restart?.();
      for (const view of area.views ?? []) await view.restart();
    });
  }

  async stop(): Promise<void> {
    await this.inReverse(async (area) => {
      await area.stop?.();
      for (const view of area.views ?? []) await view.stop?.();
    });
  }

  /**
   * The functions that take over changes of other processes: by the beginning of the kinds of changes, and for changes
   * of all other kinds. `later` runs those for which nobody waits.
   */
  following(later: (load: () => Promise<void>) => Promise<void>): {
    readonly areas: Readonly<Record<string, () => Promise<void>>>;
    readonly others: () => Promise<void>;
  } {
    const areas: Record<string, () => Promise<void>> = {};
    for (const { facts: { changes, loadsLater = false }, area } of this.made) {
      if (changes !== undefined) areas[changes] = () => (loadsLater ? later(() => reload(area)) : reload(area));
    }
    return {
      areas,
      others: async () => {
        for (const { facts: { changes }, area } of this.made) if (changes === undefined) await reload(area);
      },
    };
  }

  /** A leader has changed rows of these tables. */
  async changed(changed: ReadonlySet<string>): Promise<void> {
    for (const { facts: { tables = [] }, area } of this.made)
      if (tables.some((table) => changed.has(table))) await reload(area);
  }
}

async function reload(area: Area): Promise<void> {
  await (area.reload === undefined ? area.load?.() : area.reload());
}
