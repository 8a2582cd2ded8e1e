import { defineArea } from './area.ts';

export const system = defineArea('system', {
  Query: {
    stats: (_, _args, { read, invoke }, info) => read(info, async () => (await invoke('getStats', {})).value),
  },
});
