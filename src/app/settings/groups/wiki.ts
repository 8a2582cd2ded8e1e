import { byteSize, integer } from '../kinds.ts';
import { setting } from '../setting.ts';

export const wiki = {
  maxPages: setting(integer(0), 500_000, 'SVC_WIKI_MAX_PAGES',
    'pages that one dump of a wiki may have; 0 for any number'),
  maxBytes: setting(byteSize(), 4 * 1024 ** 3, 'SVC_WIKI_MAX_BYTES',
    'bytes of XML that one dump of a wiki may unpack to; 0 for any number'),
};
